import t from 'tap'
import { missingInstalls } from '../../scripts/run/install.mjs'
import { runtimePackage } from '../../scripts/run/paths.mjs'

t.test('a Node that npm has skipped is installed at the next run', async t => {
  const options = { wanted: 'production', needsRuntime: true, node: '/nowhere/node' } as const
  t.match(missingInstalls(options), [{ folder: runtimePackage }])
})
