import { types } from '../../dns/codes.ts'
import { type RrsetOctets, rdataEnd, rdataLengthOctets } from '../../dns/rrset-octets.ts'
import { rrsetOfOctets } from '../rrset-octets.ts'
import { soaNumbers } from '../soa.ts'
import { giveName, isApex } from './entries.ts'
import { childCountMask, entry, nsec3Entry, zone as zoneBlock } from './layout.ts'
import { changeData, type DataChange } from './node-data.ts'
import { blockOctets, type DataItem, findRrset, itemsOf, writeRrset } from './rrset-block.ts'
import type { TableStore } from './table-store.ts'
import type { TableWriter } from './table-writer.ts'
import { addNode, removeNode } from './zone-nodes.ts'

// Changes several RRsets of a name at once: one word publishes an RRset, the RRSIG that cover it and the NSEC of its name
// together, another word an NSEC3 and its RRSIG. RRSIG are kept beside what they cover, and NSEC3 are entries by their hash
// (RFC 5155 section 7.2.8). The writer's key holds the name.

/** A change of an RRset of a name; `rrset` undefined removes it. All RRSIG of a name are one RRset. */
export type RrsetChange = { readonly type: number; readonly rrset: RrsetOctets | undefined }

/** The SOA of a zone and the RRSIG that cover it can be changed last, since the SOA announces all other changes. */
export type NamePart = 'all' | 'soa' | 'rest'

/** Makes changes of the key's name, all or none of them.
 *  @throws RangeError an RRset is empty, or too large for any table; a SOA is not one record at the apex, or is to be
 *  removed; an NSEC3 is at a name that is not a hash; or the table is full */
export function changeName(
  writer: TableWriter,
  zone: number,
  changes: readonly RrsetChange[],
  part: NamePart = 'all',
): void {
  const { reader } = writer
  const node = reader.lookup.findNode(zone, reader.key)
  const isHash = writer.signing.isHashOwner(zone, reader.key)
  requireSound(writer, zone, { changes, node, isHash })
  const before = contentsOf(writer, zone, node)
  const byType = changesByType(writer, before, changes, part)
  if (changes.some(({ type, rrset }) => rrset !== undefined && isOfChain(type))) {
    writer.signing.begin(zone)
  }
  const ofNsec3 = isHash ? byType.get(types.NSEC3) : undefined
  if (ofNsec3 !== undefined) {
    byType.delete(types.NSEC3)
    const { rrset, signature } = nsec3Of(writer, zone)
    writer.signing.putEntry(zone, reader.key, { rrset, signature, ...ofNsec3 })
    writer.versions.change(zone, 0)
  }
  if (byType.size > 0) changeNode(writer, zone, { node, changes, byType })
  const after = contentsOf(writer, zone, reader.lookup.findNode(zone, reader.key))
  writer.add(zone + zoneBlock.rrsetCount, storedCount(after) - storedCount(before))
}

/** Returns the contents of the NSEC3 entry of the key's name; 0 for an absent part. */
export function nsec3Of(writer: TableWriter, zone: number): { rrset: number; signature: number } {
  const { words } = writer.store
  const present = writer.signing.findEntry(zone, writer.reader.key)
  if (present === 0) return { rrset: 0, signature: 0 }
  return {
    rrset: words[present + nsec3Entry.rrset] as number,
    signature: words[present + nsec3Entry.signature] as number,
  }
}

/** All RRsets of a node's name, its NSEC3 included. */
export function contentsOf(writer: TableWriter, zone: number, node: number): readonly DataItem[] {
  const { words } = writer.store
  const items = node === 0 ? [] : itemsOf(words, words[node + entry.data] as number)
  const nsec3 = { type: types.NSEC3, ...nsec3Of(writer, zone) }
  return nsec3.rrset === 0 && nsec3.signature === 0 ? items : [...items, nsec3]
}

/** How many RRsets are stored for it: all RRSIG of a name are one. */
function storedCount(items: readonly DataItem[]): number {
  const isSigned = items.some(({ signature }) => signature !== 0)
  return items.filter(({ rrset }) => rrset !== 0).length + (isSigned ? 1 : 0)
}

function isOfChain(type: number): boolean {
  return type === types.RRSIG || type === types.NSEC || type === types.NSEC3
}

function requireSound(
  { store }: TableWriter,
  zone: number,
  {
    changes,
    node,
    isHash,
  }: { readonly changes: readonly RrsetChange[]; readonly node: number; readonly isHash: boolean },
): void {
  const apex = store.words[zone + zoneBlock.apex]
  let octets = 0
  for (const { type, rrset } of changes) {
    if (rrset !== undefined) octets += blockOctets(rrset)
    if (type === types.SOA) {
      if (rrset === undefined) throw new RangeError('a zone keeps its SOA')
      if (node !== apex) throw new RangeError('a SOA belongs to the apex')
      soaNumbers(rrsetOfOctets(rrset))
    } else if (type === types.NSEC3 && rrset !== undefined && !isHash) {
      throw new RangeError('an NSEC3 belongs to a hash right below the apex')
    }
  }
  store.requireRoom(octets)
}

function changesByType(
  { store }: TableWriter,
  before: readonly DataItem[],
  changes: readonly RrsetChange[],
  part: NamePart,
): Map<number, DataChange> {
  const isChanged = (type: number) => part === 'all' || (type === types.SOA) === (part === 'soa')
  const byType = new Map<number, DataChange>()
  for (const { type, rrset } of changes) {
    if (type === types.RRSIG || !isChanged(type)) continue
    byType.set(type, { rrset: rrset === undefined ? 0 : writeRrset(store, rrset) })
  }
  const signing = changes.find(({ type }) => type === types.RRSIG)
  if (signing === undefined) return byType
  const signatures = writeSignatures(store, signing.rrset, isChanged)
  const signed = before.flatMap(({ type, signature }) => (signature === 0 ? [] : [type]))
  for (const type of new Set([...signed, ...signatures.keys()])) {
    if (isChanged(type)) {
      byType.set(type, { ...byType.get(type), signature: signatures.get(type) ?? 0 })
    }
  }
  return byType
}

function changeNode(
  writer: TableWriter,
  zone: number,
  {
    node: present,
    changes,
    byType,
  }: {
    readonly node: number
    readonly changes: readonly RrsetChange[]
    readonly byType: ReadonlyMap<number, DataChange>
  },
): void {
  const { store, signing, versions } = writer
  const named = changes.find(({ rrset }) => rrset !== undefined)?.rrset
  const data = present === 0 ? 0 : (store.words[present + entry.data] as number)
  const hadNsec = findRrset(store.words, data, types.NSEC) !== 0
  const nsec = byType.get(types.NSEC)?.rrset
  if (hadNsec && nsec === 0) signing.removeName(zone, present)
  let node = present
  if (node === 0) {
    if (named === undefined) return
    node = addNode(writer, zone, named, added => changeData(store, added, byType))
  } else if (isEmptiedLeaf(store.words, node, byType)) {
    versions.change(zone, node)
    removeNode(writer, zone, node)
    return
  } else {
    if (named !== undefined) giveName(store, node, named.octets, named.ownerAt)
    changeData(store, node, byType)
  }
  versions.change(zone, node)
  if (!hadNsec && nsec !== undefined && nsec !== 0) signing.addName(zone, node)
}

/** Whether changes leave a node without data, and no names are below it; the apex stays. */
function isEmptiedLeaf(
  words: Int32Array,
  node: number,
  changes: ReadonlyMap<number, DataChange>,
): boolean {
  const childCount = (words[node + entry.state] as number) & childCountMask
  if (isApex(words, node) || childCount > 0) return false
  const left = new Map<number, DataChange>()
  for (const item of itemsOf(words, words[node + entry.data] as number)) left.set(item.type, item)
  for (const [type, change] of changes) left.set(type, { ...left.get(type), ...change })
  return [...left.values()].every(({ rrset = 0, signature = 0 }) => rrset === 0 && signature === 0)
}

/** Writes the RRSIG of a name as one RRset for each type that they cover, of those that are wanted. */
function writeSignatures(
  store: TableStore,
  rrset: RrsetOctets | undefined,
  isWanted: (type: number) => boolean,
): Map<number, number> {
  const written = new Map<number, number>()
  if (rrset === undefined) return written
  const { octets, rdatasAt, rdatasEnd } = rrset
  const byType = new Map<number, Uint8Array[]>()
  for (let at = rdatasAt; at < rdatasEnd; ) {
    const end = rdataEnd(octets, at)
    const typeAt = at + rdataLengthOctets
    const type = ((octets[typeAt] as number) << 8) | (octets[typeAt + 1] as number)
    const ofType = byType.get(type) ?? []
    byType.set(type, ofType)
    ofType.push(octets.subarray(at, end))
    at = end
  }
  for (const [type, records] of byType) {
    if (!isWanted(type)) continue
    const joined = Buffer.concat(records)
    const places = { ownerAt: 0, rdatasAt: 0, rdatasEnd: joined.length }
    const recordCount = records.length
    written.set(type, writeRrset(store, { ...rrset, octets: joined, recordCount, ...places }))
  }
  return written
}
