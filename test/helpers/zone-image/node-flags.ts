import { types } from '../../../src/dns/codes.ts'
import { isWildcard } from '../../../src/dns/name.ts'
import type { ZoneNode } from './node.ts'

// The facts about a node that a lookup needs at once. Each function looks at one node and its parent and
// nothing further, so compiling a zone and changing one RRset run the same code at the same cost per node.

/** Recomputes the flags that follow from the node's own RRsets; called after each change to them. */
export function refreshNodeFlags(node: ZoneNode): void {
  // RFC 1034 section 4.2.1: NS at the apex name the zone's own servers; anywhere else they end it.
  node.isCut = node.parent !== undefined && node.find(types.NS) !== undefined
  node.dname = node.find(types.DNAME)
}

/** Tells the parent that `node` now exists. */
export function linkToParent(node: ZoneNode): void {
  const { parent } = node
  if (parent === undefined) return
  parent.childCount += 1
  if (isWildcard(node.owner)) parent.wildcardChild = node
}

/** Tells the parent that `node` no longer exists. */
export function unlinkFromParent(node: ZoneNode): void {
  const { parent } = node
  if (parent === undefined) return
  parent.childCount -= 1
  if (parent.wildcardChild === node) parent.wildcardChild = undefined
}
