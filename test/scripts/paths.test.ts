import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runtimeNode, runtimePackage } from '../../scripts/run/paths.mjs'

type Locked = { readonly cpu?: string; readonly bin?: Readonly<Record<string, string>> }

t.test('the Node.js of each processor is where its package has it, whatever npm links', async t => {
  const text = readFileSync(join(runtimePackage, 'package-lock.json'), 'utf8')
  const packages = Object.entries<Locked>(JSON.parse(text).packages)
  const found = packages.flatMap(([path, { cpu, bin }]) =>
    cpu === undefined ? [] : [[join('folder', path, bin?.node ?? ''), runtimeNode('folder', cpu)]],
  )
  t.equal(found.length, 2)
  for (const [packed, used] of found) t.equal(used, packed)
})
