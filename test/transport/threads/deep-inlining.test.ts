import { spawnSync } from 'node:child_process'
import t from 'tap'
import { DeepInlining, inliningFlag } from '../../../src/transport/threads/deep-inlining.ts'

function watched() {
  const flags: string[] = []
  return { flags, inlining: new DeepInlining(flag => flags.push(flag)) }
}

t.test('many answers set the flag, and a rest unsets it', async t => {
  const { flags, inlining } = watched()
  inlining.answered(127)
  t.same(flags, [])
  inlining.answered(1)
  t.same(flags, [inliningFlag])
  inlining.rest()
  t.match(flags[1], /=920$/)
  inlining.rest()
  t.equal(flags.length, 2)
})

t.test('a few answers now and then do not set it', async t => {
  const { flags, inlining } = watched()
  for (let i = 0; i < 100; i += 1) {
    inlining.answered(100)
    inlining.rest()
  }
  t.same(flags, [])
})

t.test(
  'a busy thread sets it again, as another may have unset it, and keeps it at a rest',
  async t => {
    const { flags, inlining } = watched()
    for (let i = 0; i < 20_000; i += 1) {
      if (i % 1_000 === 999) inlining.rest()
      inlining.answered(1)
    }
    t.same(flags, [inliningFlag])
    for (let i = 0; i < 20_000; i += 1) inlining.answered(1)
    t.same(flags, [inliningFlag, inliningFlag, inliningFlag])
  },
)

t.test('this Node knows the flag', async t => {
  t.equal(spawnSync(process.execPath, [inliningFlag, '--eval', '']).status, 0)
  t.not(spawnSync(process.execPath, [`--not${inliningFlag}`, '--eval', '']).status, 0)
})

t.test('the usual value is that of this Node', async t => {
  const { flags, inlining } = watched()
  inlining.answered(1_000)
  inlining.rest()
  const { stdout } = spawnSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  const [, usual] =
    /--max-inlined-bytecode-size-cumulative[^-]*default: (?:--\S+=)?(\d+)/.exec(stdout) ?? []
  t.equal(flags[1], `--max-inlined-bytecode-size-cumulative=${usual}`)
})
