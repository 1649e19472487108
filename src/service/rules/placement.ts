import { parseName } from '../../dns/name.ts'
import { typeCode } from '../../dns/rdata/index.ts'
import { apexKeyTypes } from '../../dnssec/key.ts'
import { ApiError } from '../../errors.ts'
import { isAliasAddress } from '../../model/alias.ts'
import { ownerNameText } from '../../model/owner-name.ts'
import { quote } from '../../model/quote.ts'
import type { Recordset } from '../../model/recordset.ts'
import { requireNameInZone } from '../../model/recordset-name.ts'
import { rrsetOf } from '../../model/recordset-rrset.ts'
import { isWrittenElsewhere, type Zone } from '../../model/zone.ts'
import { keyOf } from '../../store/indexes.ts'
import type { StoreReader } from '../../store/store.ts'
import { checkPut, type ZoneContents } from '../../zone/check.ts'
import { maxTypesPerName, type ZoneDefect } from '../../zone/defect.ts'
import { findRecordsetOf } from './find-recordset.ts'
import { findChildZone } from './zone-tree.ts'

// Where in its zone a recordset may be. Call these inside the transaction that puts the recordset.

/** What placement depends on. */
export type Candidate = Pick<Recordset, 'name' | 'type' | 'ttlSeconds' | 'records'>

/** Data of the parent side of a zone cut (RFC 1035 section 3.3.11, RFC 4035 section 2.4): it belongs in the parent
 *  zone, at the name of the child's apex. */
const parentSideTypes: readonly string[] = ['NS', 'DS']

/** @throws ApiError invalid_recordset_location the name is outside the zone, or a child zone answers for it */
export function requireNameForZone(
  reader: StoreReader,
  zone: Zone,
  candidate: Pick<Candidate, 'name' | 'type'>,
): void {
  requireNameInZone(candidate.name, zone.name)
  const child = findChildZone(reader, zone, candidate.name)
  if (child === undefined) return
  const isAtCut = child.name.toLowerCase() === candidate.name.toLowerCase()
  if (isAtCut && parentSideTypes.includes(candidate.type)) return
  throw new ApiError(
    'invalid_recordset_location',
    `RecordSet belongs in a child zone: ${quote(child.name)}`,
  )
}

/** Checks that the zone stays sound with the new or changed recordset.
 *  @throws ApiError invalid_recordset_location it cannot be beside, above or below what is there; bad_request
 *  it holds more records than its type may have */
export function requireSound(reader: StoreReader, zone: Zone, candidate: Candidate): void {
  const { rrset } = rrsetOf(candidate, zone)
  if (rrset === undefined) return
  const isApex = candidate.name.toLowerCase() === zone.name.toLowerCase()
  if (zone.dnssec !== undefined && isApex && apexKeyTypes.has(rrset.type)) {
    const message = `The ${candidate.type} records of a zone that is signed here are made by the server`
    throw new ApiError('bad_request', message)
  }
  const [defect] = checkPut(contentsOf(reader, zone), rrset.owner, rrset)
  if (defect !== undefined) throw refusalFor(defect, zone, candidate)
}

function contentsOf(reader: StoreReader, zone: Zone): ZoneContents {
  return {
    apex: parseName(zone.name),
    typesAt(owner) {
      const key = keyOf(zone.id, ownerNameText(owner).toLowerCase())
      const rows = reader.list('recordsets', 'byOwner', key)
      return [...rows]
        .filter(row => isWrittenElsewhere(zone) || !isAliasAddress(row))
        .flatMap(row => (row.records.length === 0 ? [] : (typeCode(row.type) ?? [])))
    },
    ownsDname(owner) {
      const name = ownerNameText(owner)
      return findRecordsetOf(reader, zone, { name, type: 'DNAME' }) !== undefined
    },
    hasNamesBelow(owner) {
      // Only DNAME needs this, so a walk is cheaper than an index that every recordset would pay for.
      const suffix = `.${ownerNameText(owner).toLowerCase()}`
      for (const { name } of reader.list('recordsets', 'byZone', zone.id)) {
        if (name.toLowerCase().endsWith(suffix)) return true
      }
      return false
    },
  }
}

function refusalFor(defect: ZoneDefect, zone: Zone, { name, type }: Candidate): ApiError {
  if (defect.kind === 'singleton-repeated') {
    return new ApiError('bad_request', `${type} recordsets may not have more than 1 record`)
  }
  const isApex = name.toLowerCase() === zone.name.toLowerCase()
  const reason = type === 'CNAME' && isApex ? cnameAtApex : (reasons[defect.kind] ?? defect.kind)
  return new ApiError('invalid_recordset_location', `${type} at ${quote(name)}: ${reason}`)
}

/** RFC 1034 section 3.6.2; RFC 9460 section 2.4.2. */
const cnameAtApex =
  'a CNAME cannot be at the apex of a zone, beside its SOA and NS: use an ALIAS there, A and AAAA records, or ' +
  "an HTTPS record in alias form, such as '0 www.example.net.'"

const reasons: Partial<Readonly<Record<ZoneDefect['kind'], string>>> = {
  'alias-and-address':
    'an ALIAS cannot be beside addresses of the same name: it answers with those of its target',
  'cname-and-other-data': 'a CNAME cannot be beside any other recordset of the same name',
  'dname-at-cut': 'a DNAME cannot be beside NS below the apex',
  'data-below-dname': 'there can be no records below a DNAME',
  'ds-at-apex': 'DS belongs in the parent zone',
  'ns-at-wildcard': 'an NS recordset cannot be a wildcard',
  'outside-zone': 'the name is outside the zone',
  'too-many-types': `a name has at most ${maxTypesPerName} types`,
}
