import { types } from '../../dns/codes.ts'
import { type RrsetOctets, rdataEnd, rdataLengthOctets } from '../../dns/rrset-octets.ts'
import { entry, nsec3Entry } from './layout.ts'
import { putSignatures as putNodeSignatures } from './node-data.ts'
import { itemsOf, writeRrset } from './rrset-block.ts'
import type { TableStore } from './table-store.ts'
import type { TableWriter } from './table-writer.ts'
import { addNode, removeIfNeedless } from './zone-nodes.ts'

// What a zone has that is no data of a node by its type: the RRSIG of a name, each beside what it covers, and NSEC3, which
// are entries of their own. The writer's key holds the name.

/** The types that are kept so. */
export function isSigningType(type: number): boolean {
  return type === types.RRSIG || type === types.NSEC3
}

/** Puts all RRSIG of a name in place of those it has, or its NSEC3; returns whether it had none.
 *  @throws RangeError NSEC3 at a name that is no hash */
export function putSigning(writer: TableWriter, zone: number, rrset: RrsetOctets): boolean {
  const { store, signing, reader } = writer
  if (rrset.type === types.NSEC3) {
    if (!signing.isHashOwner(zone, reader.key)) {
      throw new RangeError('an NSEC3 belongs to a hash right below the apex')
    }
    const present = nsec3Of(writer, zone)
    signing.putEntry(zone, reader.key, { ...present, rrset: writeRrset(store, rrset) })
    return present.rrset === 0
  }
  const isNew = signaturesAt(writer, zone).length === 0
  signing.begin(zone)
  const signatures = writeSignatures(store, rrset)
  const ofNsec3 = signing.isHashOwner(zone, reader.key) ? signatures.get(types.NSEC3) : undefined
  if (ofNsec3 !== undefined) signatures.delete(types.NSEC3)
  const hasNode = reader.lookup.findNode(zone, reader.key) !== 0
  if (!hasNode && signatures.size > 0) addNode(writer, zone, rrset)
  replaceSignatures(writer, zone, { signatures, ofNsec3: ofNsec3 ?? 0 })
  return isNew
}

/** Removes all RRSIG of a name, or its NSEC3; returns whether there was one. */
export function removeSigning(writer: TableWriter, zone: number, type: number): boolean {
  if (type === types.NSEC3) {
    const present = nsec3Of(writer, zone)
    if (present.rrset === 0) return false
    writer.signing.putEntry(zone, writer.reader.key, { ...present, rrset: 0 })
    return true
  }
  if (signaturesAt(writer, zone).length === 0) return false
  replaceSignatures(writer, zone, { signatures: new Map(), ofNsec3: 0 })
  return true
}

/** Returns the RRSIG RRsets of a name by what they cover. */
export function signaturesAt(writer: TableWriter, zone: number): number[] {
  const { reader, store } = writer
  const { words } = store
  const node = reader.lookup.findNode(zone, reader.key)
  const items = node === 0 ? [] : itemsOf(words, words[node + entry.data] as number)
  return [...items, nsec3Of(writer, zone)].flatMap(({ signature }) =>
    signature === 0 ? [] : [signature],
  )
}

/** Returns what the NSEC3 entry of a name has; 0 for what there is not. */
export function nsec3Of(writer: TableWriter, zone: number): { rrset: number; signature: number } {
  const { words } = writer.store
  const present = writer.signing.findEntry(zone, writer.reader.key)
  if (present === 0) return { rrset: 0, signature: 0 }
  return {
    rrset: words[present + nsec3Entry.rrset] as number,
    signature: words[present + nsec3Entry.signature] as number,
  }
}

function replaceSignatures(
  writer: TableWriter,
  zone: number,
  { signatures, ofNsec3 }: { signatures: ReadonlyMap<number, number>; ofNsec3: number },
): void {
  const { store, signing, reader } = writer
  const { rrset, signature } = nsec3Of(writer, zone)
  if (signature !== ofNsec3) signing.putEntry(zone, reader.key, { rrset, signature: ofNsec3 })
  const node = reader.lookup.findNode(zone, reader.key)
  if (node === 0) return
  putNodeSignatures(store, node, signatures)
  removeIfNeedless(writer, zone, node)
}

/** Writes the RRSIG of a name as one RRset for each type that they cover. */
function writeSignatures(store: TableStore, rrset: RrsetOctets): Map<number, number> {
  const { octets, rdatasAt, rdatasEnd } = rrset
  const byType = new Map<number, { recordCount: number; octets: Uint8Array[] }>()
  for (let at = rdatasAt; at < rdatasEnd; ) {
    const end = rdataEnd(octets, at)
    const typeAt = at + rdataLengthOctets
    const type = ((octets[typeAt] as number) << 8) | (octets[typeAt + 1] as number)
    const ofType = byType.get(type) ?? { recordCount: 0, octets: [] }
    byType.set(type, ofType)
    ofType.recordCount += 1
    ofType.octets.push(octets.subarray(at, end))
    at = end
  }
  const written = new Map<number, number>()
  for (const [type, { recordCount, octets: records }] of byType) {
    const joined = Buffer.concat(records)
    const places = { ownerAt: 0, rdatasAt: 0, rdatasEnd: joined.length }
    written.set(type, writeRrset(store, { ...rrset, octets: joined, recordCount, ...places }))
  }
  return written
}
