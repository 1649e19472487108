import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { type Name, parseName } from '../../../src/dns/name.ts'
import { ZoneNode } from './node.ts'
import { linkToParent, refreshNodeFlags, unlinkFromParent } from './node-flags.ts'

const apex = new ZoneNode(parseName('example.'), undefined)

function nodeWith(owner: Name, parent: ZoneNode | undefined, ...types: number[]): ZoneNode {
  const node = new ZoneNode(owner, parent)
  for (const type of types) node.put({ type, ttlSeconds: 60, rdatas: [new Uint8Array(1)] })
  refreshNodeFlags(node)
  return node
}

t.test('NS cut below the apex, not at it', async t => {
  t.equal(nodeWith(apex.owner, undefined, types.NS).isCut, false)
  t.equal(nodeWith(parseName('sub.example.'), apex, types.NS).isCut, true)
  t.equal(nodeWith(parseName('sub.example.'), apex, types.DS).isCut, false)
})

t.test('flags go when their data goes', async t => {
  const node = nodeWith(parseName('sub.example.'), apex, types.NS, types.DNAME)
  t.equal(node.dname?.type, types.DNAME)
  node.remove(types.NS)
  node.remove(types.DNAME)
  refreshNodeFlags(node)
  t.equal(node.isCut, false)
  t.equal(node.dname, undefined)
})

t.test('a parent knows how many children it has and which is the wildcard', async t => {
  const parent = new ZoneNode(parseName('example.'), undefined)
  const plain = new ZoneNode(parseName('a.example.'), parent)
  const wildcard = new ZoneNode(parseName('*.example.'), parent)
  linkToParent(plain)
  linkToParent(wildcard)
  t.equal(parent.childCount, 2)
  t.equal(parent.wildcardChild, wildcard)
  unlinkFromParent(plain)
  t.equal(parent.wildcardChild, wildcard)
  unlinkFromParent(wildcard)
  t.equal(parent.childCount, 0)
  t.equal(parent.wildcardChild, undefined)
})

t.test('the apex has no parent to tell', async t => {
  t.doesNotThrow(() => linkToParent(apex))
  t.doesNotThrow(() => unlinkFromParent(apex))
})
