import { types } from '../../../src/dns/codes.ts'
import { type Name, parentName } from '../../../src/dns/name.ts'
import type { OwnedRrset, Rrset } from '../../../src/zone/rrset.ts'
import type { Lookup } from '../oracle/served-zone.ts'
import type { ZoneNode } from './node.ts'

// RFC 1034 section 4.3.2 steps 3 and 4, with wildcards as RFC 4592 and DNAME as RFC 6672 restate them, over
// nodes that are objects.

/** The parts of an image that a lookup reads. */
export type NodeTable = {
  readonly nodes: ReadonlyMap<Name, ZoneNode>
  readonly nodata: Lookup
  readonly nxdomain: Lookup
}

/** Answers `qname`, lower-case and at or below the apex, from the nodes of one zone. */
export function lookUp(table: NodeTable, qname: Name, qtype: number): Lookup {
  const node = table.nodes.get(qname)
  const closest = node ?? closestEncloser(table.nodes, qname)
  if (closest === undefined) throw new RangeError('the name is outside the zone')
  const barrier = highestBarrier(closest, node)
  if (barrier !== undefined) {
    // RFC 4035 section 3.1.4.1: DS is the one type at a cut that the parent side answers.
    const isParentSide = barrier === node && barrier.isCut && qtype === types.DS
    if (!isParentSide) return leaveZone(barrier)
  }
  if (node !== undefined) return answerFrom(node, qtype, table.nodata)
  // RFC 4592 section 3.3.1: only the child `*` of the closest encloser is the source of synthesis, an ENT
  // included; a `*` further up is blocked by the closest encloser.
  const source = closest.wildcardChild
  return source === undefined ? table.nxdomain : answerFrom(source, qtype, table.nodata)
}

/** Returns the A and AAAA RRsets held for a name in any case of authority but below a DNAME. */
export function findAddressRrsets(
  nodes: ReadonlyMap<Name, ZoneNode>,
  name: Name,
): readonly Rrset[] {
  const node = nodes.get(name)
  const closest = node ?? closestEncloser(nodes, name)
  if (closest === undefined) return noRrsets
  const barrier = highestBarrier(closest, node)
  if (barrier !== undefined && !barrier.isCut) return noRrsets
  // Below a cut only what is there by its own name is glue; a wildcard there belongs to the other zone.
  const source = node ?? (barrier === undefined ? closest.wildcardChild : undefined)
  return source === undefined ? noRrsets : addressesOf(source)
}

const noRrsets: readonly Rrset[] = []

/** Returns the nearest existing ancestor (RFC 4592 section 3.3.1), undefined outside the zone. */
function closestEncloser(nodes: ReadonlyMap<Name, ZoneNode>, name: Name): ZoneNode | undefined {
  for (let rest = name; rest.length > 1; ) {
    rest = parentName(rest)
    const node = nodes.get(rest)
    if (node !== undefined) return node
  }
  return undefined
}

/** Returns the highest node from `from` up to the apex at which this zone stops speaking for the name: a
 *  cut, or a DNAME above it. What lies below the highest one is occluded, further cuts included. */
function highestBarrier(from: ZoneNode, exact: ZoneNode | undefined): ZoneNode | undefined {
  let barrier: ZoneNode | undefined
  for (let node: ZoneNode | undefined = from; node !== undefined; node = node.parent) {
    // RFC 6672 section 2.3: a DNAME redirects the names below its owner, not the owner itself.
    if (node.isCut || (node.dname !== undefined && node !== exact)) barrier = node
  }
  return barrier
}

function leaveZone(barrier: ZoneNode): Lookup {
  // A cut with a DNAME is a cut: the DNAME is the child zone's (RFC 6672 section 2.4).
  if (barrier.isCut) return { kind: 'referral', ns: owned(barrier, types.NS) }
  return { kind: 'dname', dname: owned(barrier, types.DNAME) }
}

function owned(node: ZoneNode, type: number): OwnedRrset {
  const rrset = node.find(type)
  if (rrset === undefined) throw new Error('a node flag is out of step with its data')
  return { owner: node.owner, type, ttlSeconds: rrset.ttlSeconds, rdatas: rrset.rdatas }
}

function answerFrom(node: ZoneNode, qtype: number, nodata: Lookup): Lookup {
  // An ALIAS is answered as addresses only.
  const rrsets = node.rrsets.filter(({ type }) => type !== types.ALIAS)
  if (qtype === types.ANY) {
    // RFC 8482 section 4.1: one RRset suffices. The lowest type, so that it is always the same one.
    const [rrset] = rrsets
    return rrset === undefined ? nodata : { kind: 'hit', rrset }
  }
  if (qtype === types.RRSIG) {
    // RFC 8482 section 7: as for ANY.
    const [lowest] = [...node.signatures].sort(([one], [other]) => one - other)
    if (lowest !== undefined) {
      const [type, signature] = lowest
      const ttlSeconds = node.find(type)?.ttlSeconds ?? signature.ttlSeconds
      return { kind: 'hit', rrset: { ...signature, ttlSeconds } }
    }
  }
  let cname: Rrset | undefined
  for (const rrset of rrsets) {
    if (rrset.type === qtype) return { kind: 'hit', rrset }
    if (rrset.type === types.CNAME) cname = rrset
  }
  return cname === undefined ? nodata : { kind: 'cname', rrset: cname }
}

function addressesOf(node: ZoneNode): readonly Rrset[] {
  return node.rrsets.filter(rrset => rrset.type === types.A || rrset.type === types.AAAA)
}
