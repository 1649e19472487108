// What Biome checks with its parser need not be checked here again; that it does, and stops for it, is checked.

import { spawnSync } from 'node:child_process'
import { join, relative } from 'node:path'
import t, { type Test } from 'tap'
import { readSource, root } from './source-tree.ts'

const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome')

type Folder = { readonly [name: string]: string | Folder }

function runBiome(cwd: string, options: readonly string[]): string {
  const args = [biome, 'lint', '--reporter=github', '--error-on-warnings', ...options, '.']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
  return status === 0 ? '' : stdout + stderr
}

/** Which rule each of the made-up files breaks, under this repository's configuration: `src/a.ts noEnum`. */
function findings(t: Test, files: Folder): readonly string[] {
  const { text } = readSource('biome.json')
  const lint = { 'pure.grit': readSource('scripts/lint/pure.grit').text }
  const folder = t.testdir({ 'biome.json': text, scripts: { lint }, ...files })
  const report = runBiome(folder, ['--vcs-enabled=false'])
  const lines = report.matchAll(/title=(?:lint\/\w+\/)?(?<rule>\w+),file=(?<file>[^,]+)/g)
  return [...lines]
    .map(({ groups }) => `${relative(folder, groups?.file ?? '')} ${groups?.rule}`)
    .sort()
}

const longFunction = (lineCount: number) =>
  `export function f() {\n${'  g()\n'.repeat(lineCount)}}\n`

t.test('the linter refuses what the style forbids in src', async t => {
  const example = {
    noDefaultExport: 'export default 1',
    noEmptyBlockStatements: 'try { f() } catch {}',
    noEnum: 'export enum A { B }',
    noExcessiveLinesPerFile: 'f()\n'.repeat(501),
    noExcessiveLinesPerFunction: longFunction(71),
    noExplicitAny: 'export const a = (b: any) => b',
    noNonNullAssertion: 'export const a = (b?: string) => b!.length',
    noProcessEnv: 'export const a = process.env.HOME',
    useImportType: "import { A } from './a.ts'\nexport const a = (b: A) => b",
    useNodejsImportProtocol: "import fs from 'fs'\nfs.statSync('a')",
  }
  const rules = Object.keys(example)
  const src = Object.fromEntries(
    Object.entries(example).map(([rule, text]) => [`${rule}.ts`, text]),
  )
  t.same(
    findings(t, { src }),
    rules.map(rule => `src/${rule}.ts ${rule}`),
  )
})

t.test('the linter lets pass what the style allows', async t => {
  const nonNull = 'export const a = (b?: string) => b!.length\n'
  const src = { 'long.ts': longFunction(70), 'main.ts': 'export const a = process.env.HOME\n' }
  t.same(findings(t, { src, test: { 'a.test.ts': nonNull + longFunction(71) } }), [])
})

t.test(
  'the linter refuses clock, chance and promises in pure folders, and files that import themselves',
  async t => {
    const pure = {
      'chance.ts': 'export const a = Math.random()',
      'clock.ts': 'export const a = Date.now()',
      'from-seconds.ts': 'export const a = new Date(1000)',
      'now.ts': 'export const a = new Date()',
      'process.ts': 'export const a = process.pid',
      'wait.ts': 'export const a = async (b: () => unknown) => await b()',
    }
    const [one, other] = [
      "import { b } from './other.ts'\nexport const a = () => b",
      "import { a } from './one.ts'\nexport const b = () => a",
    ]
    const src = { dns: pure, api: { ...pure, 'one.ts': one, 'other.ts': other } }
    t.same(findings(t, { src }), [
      'src/api/one.ts noImportCycles',
      'src/api/other.ts noImportCycles',
      'src/dns/chance.ts plugin',
      'src/dns/clock.ts plugin',
      'src/dns/now.ts plugin',
      'src/dns/process.ts noRestrictedGlobals',
      'src/dns/wait.ts plugin',
    ])
  },
)
