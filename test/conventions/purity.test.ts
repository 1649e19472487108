import t from 'tap'
import { pureFolders } from './import-table.ts'
import { maskedCode } from './masked-code.ts'
import { readSources, type SourceFile } from './source-tree.ts'

/** What would make an answer depend on more than its question: time, chance, surroundings, order. A date made
 *  from a number that was given is a value like others. */
const impure = [
  /\bDate\.now\b/,
  /\bnew Date\(\s*\)/,
  /\bMath\.random\b/,
  /\b(?:process|globalThis|console|performance|crypto|fetch|queueMicrotask)\b\s*[.(]/,
  /\bset(?:Timeout|Interval|Immediate)\b/,
  /\b(?:async|await|Promise)\b/,
]

function impurities({ path, text }: SourceFile): readonly string[] {
  const lines = maskedCode(text).split('\n')
  return lines.flatMap((line, index) =>
    impure.some(pattern => pattern.test(line)) ? [`${path}:${index + 1} ${line.trim()}`] : [],
  )
}

t.test('the check sees what is impure and nothing else', async t => {
  const text = [
    'const now = Date.now() // the process',
    'const at = new Date(seconds * 1000)',
    'const dice = Math.random()',
    'const process = query(octets)',
    "const text = 'await Promise'",
    'async function f() {}',
    'let p: Promise<void>',
    'process.exit(1)',
  ].join('\n')
  const lines = impurities({ path: 'x.ts', text }).map(found => Number(/:(\d+)/.exec(found)?.[1]))
  t.same(lines, [1, 3, 6, 7, 8])
})

for (const folder of pureFolders) {
  t.test(`src/${folder} touches no clock, chance, promise or process`, async t => {
    t.same(readSources(`src/${folder}`).flatMap(impurities), [])
  })
}
