import t, { type Test } from 'tap'
import { formerSet, installedSet } from '../../scripts/run/lockfile.mjs'

const locked = {
  '': { name: 'root' },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/b': { version: '1.0.0', integrity: 'sha512-b', dev: true },
  'node_modules/c': { version: '1.0.0', integrity: 'sha512-c', optional: true },
  'node_modules/d': { version: '1.0.0', integrity: 'sha512-d', devOptional: true },
}
const { 'node_modules/a': a, 'node_modules/b': b, 'node_modules/c': c } = locked

const lockText = (packages: object) => JSON.stringify({ lockfileVersion: 3, packages })

/** A folder with that lockfile, and npm's record of what it has installed. */
function folderWith(t: Test, installed: object | string | undefined) {
  const record = typeof installed === 'object' ? lockText(installed) : installed
  return t.testdir({
    'package-lock.json': lockText(locked),
    ...(record === undefined ? {} : { node_modules: { '.package-lock.json': record } }),
  })
}

t.test('what is installed is compared with the lockfile', async t => {
  const rows: [string, object | string | undefined, string][] = [
    ['nothing installed', undefined, 'none'],
    ['an installation cut short', '{"packages": {"node_mod', 'none'],
    ['everything for this machine', { 'node_modules/a': a, 'node_modules/b': b }, 'all'],
    [
      'optional packages too',
      { 'node_modules/a': a, 'node_modules/b': b, 'node_modules/c': c },
      'all',
    ],
    ['no development packages', { 'node_modules/a': a }, 'production'],
    ['a package missing', { 'node_modules/b': b }, 'none'],
    ['another version', { 'node_modules/a': { ...a, version: '1.0.1' } }, 'none'],
    [
      'the same version of other content',
      { 'node_modules/a': { ...a, integrity: 'sha512-x' } },
      'none',
    ],
    [
      'an optional package of another version',
      { 'node_modules/a': a, 'node_modules/c': { ...c, version: '2.0.0' } },
      'none',
    ],
    [
      'a stale development package',
      { 'node_modules/a': a, 'node_modules/b': { ...b, version: '0.9.0' } },
      'production',
    ],
  ]
  for (const [name, installed, expected] of rows)
    await t.test(name, async t => t.equal(installedSet(folderWith(t, installed)), expected))
})

t.test('a developer’s stale installation is known as one', async t => {
  t.equal(formerSet(folderWith(t, { 'node_modules/b': { ...b, version: '0.9.0' } })), 'all')
})

t.test('without development packages it was a production installation', async t => {
  t.equal(formerSet(folderWith(t, { 'node_modules/a': { ...a, version: '0.9.0' } })), 'production')
})

t.test('a first installation need not be whole', async t => {
  t.equal(formerSet(folderWith(t, undefined)), 'production')
})
