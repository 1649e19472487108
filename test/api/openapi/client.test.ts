import { execFile } from 'node:child_process'
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { serverFolder } from '../../helpers/server-folder.ts'
import { startWholeServer } from '../../helpers/whole-server.ts'

// openapi-typescript makes types of the document, and a program that uses them is compiled: right uses pass, wrong ones do
// not.

const run = promisify(execFile)

// It writes types with the compiler's API, which TypeScript 7 has not. The test runner brings an older one.
const olderTypescript = createRequire(
  createRequire(import.meta.resolve('tap')).resolve('@tapjs/test'),
).resolve('typescript')
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? olderTypescript : specifier, context),
})

const client = `import type { components, paths } from './api.ts'

type Zone = components['schemas']['Zone']
type NewZone = paths['/v2/zones']['post']['requestBody']['content']['application/json']
type Zones = paths['/v2/zones']['get']['responses'][200]['content']['application/json']
type Query = NonNullable<paths['/v2/zones']['get']['parameters']['query']>

export const zone: NewZone = { name: 'example.com.', email: 'ops@example.com' }
export const query: Query = { limit: '10', sort_key: 'name', sort_dir: 'desc' }
export const namesOf = ({ zones }: Zones): string[] => zones.map((each: Zone) => each.name)

// @ts-expect-error: a zone has a name
export const nameless: NewZone = { email: 'ops@example.com' }
// @ts-expect-error: nothing is sorted by this
export const wrong: Query = { sort_key: 'color' }
// @ts-expect-error: a serial is a number
export const serialOf = ({ serial }: Zone): string => serial
// @ts-expect-error: there is no such route
export type None = paths['/v2/nothing']
`

t.test('a client that is generated from the document compiles', async t => {
  const { anonymous } = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const { default: openapiTypescript, astToString } = await import('openapi-typescript')
  const types = astToString(await openapiTypescript((await anonymous.get('/openapi.json')).text))
  const folder = t.testdir({ 'api.ts': types, 'client.ts': client })
  const compiler = new URL('../../../node_modules/typescript/bin/tsc', import.meta.url).pathname
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--target',
    'esnext',
    '--module',
    'nodenext',
  ]
  const files = ['--allowImportingTsExtensions', '--types', '', join(folder, 'client.ts')]
  await t.resolves(
    run(process.execPath, [compiler, ...options, ...files]).catch(error => {
      throw new Error(error.stdout)
    }),
  )
})
