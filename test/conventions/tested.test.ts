import t from 'tap'
import { readSources } from './source-tree.ts'
import { homelessTests, untestedSources } from './tested.ts'

/** Tables and one-liners that any test of their users would show to be wrong. */
const exempt = [
  'src/clock.ts',
  'src/config/config-error.ts',
  // By starting the whole program, in test/system
  'src/app/app.ts',
  'src/main.ts',
]

t.test('the checks see what is not tested and which test is out of place', async t => {
  const files = [
    { path: 'src/a/own.ts', text: "import './part.ts'" },
    { path: 'src/a/part.ts', text: 'f()' },
    { path: 'src/a/orphan.ts', text: 'f()' },
    {
      path: 'src/a/types.ts',
      text: "import type { B } from './b.ts'\n/** B */\nexport type A = B\n",
    },
    { path: 'src/a/named.ts', text: 'f()' },
    { path: 'src/a/shared.ts', text: 'f()' },
    { path: 'src/b/b.ts', text: "import '../a/shared.ts'\nimport '../a/named.ts'" },
    {
      path: 'test/a/own.test.ts',
      text: "import '../../src/a/own.ts'\nimport '../../src/a/named.ts'",
    },
    { path: 'test/b/b.test.ts', text: "import '../helpers/h.ts'\nimport '../../src/b/b.ts'" },
    { path: 'test/c/gone.test.ts', text: '' },
    { path: 'test/system/start.test.ts', text: '' },
  ]
  t.same(untestedSources(files), [
    'src/a/orphan.ts is reached by no test',
    'src/a/shared.ts is used by other folders and has no test',
  ])
  t.same(homelessTests(files.map(({ path }) => path)), [
    'test/c/gone.test.ts is in no folder that src has',
  ])
})

const files = [...readSources('src'), ...readSources('test')]

t.test('every file of src is tested where a reader would look for it', async t => {
  const isExempt = (line: string) => exempt.some(path => line.startsWith(`${path} `))
  t.same(
    untestedSources(files).filter(line => !isExempt(line)),
    [],
  )
})

t.test('every test is in a folder that src has, too', async t => {
  t.same(homelessTests(files.map(({ path }) => path)), [])
})
