import { types } from '../../dns/codes.ts'
import { isAtOrBelow, lowerCaseName, type Name, parentName, parseName } from '../../dns/name.ts'
import { isAliasAddress } from '../../model/alias.ts'
import { ownerNameText } from '../../model/owner-name.ts'
import { nsRecordsInOrder } from '../../model/pool.ts'
import type { Recordset } from '../../model/recordset.ts'
import { type RecordsetRrset, rrsetOf } from '../../model/recordset-rrset.ts'
import { soaText } from '../../model/soa.ts'
import { isInUse, isWrittenElsewhere, type Zone } from '../../model/zone.ts'
import { keyOf } from '../../store/indexes.ts'
import type { StoreReader } from '../../store/store.ts'
import { nameDefects } from '../../zone/check-name.ts'
import { findAtApex, findRecordsetOf } from '../rules/find-recordset.ts'
import type { Findings, Subject } from './finding.ts'

// Checks stored rows on their own, by the rules that every change was checked against when it was made.

/** Checks the SOA and NS that the server keeps in a zone that is written here: they exist and are what zone and pool
 *  say. */
export function checkManaged(reader: StoreReader, zone: Zone, findings: Findings): void {
  // An abandoned zone keeps the name servers it had.
  if (isWrittenElsewhere(zone) || !isInUse(zone)) return
  const pool = reader.get('pools', zone.poolId)
  const hostnames = pool === undefined ? [] : nsRecordsInOrder(pool).map(ns => ns.hostname)
  const [first] = hostnames
  const rows = [
    { type: 'SOA', records: first === undefined ? [] : [soaText(zone, first)] },
    { type: 'NS', records: hostnames },
  ]
  for (const { type, records } of rows) {
    const row = findAtApex(reader, zone, type)
    const subject = { zone: zone.name, name: zone.name, type }
    if (row === undefined) findings.add('zone', subject, 'the zone does not have it')
    else if (!row.isManaged) findings.add('zone', subject, 'it can be changed by clients')
    // While the name servers of the pool are being written to its zones, these are the old or the new ones.
    else if (pool?.isRewritePending !== true && row.records.join('\n') !== records.join('\n')) {
      const problem = `it is ${row.records.join(', ')}, and should be ${records.join(', ')}`
      findings.add('zone', subject, problem)
    }
  }
}

/** A recordset with its RRset on the wire. */
export type ConvertedRow = {
  readonly zone: Zone
  readonly apex: Name
  readonly row: Recordset
  readonly rrset: RecordsetRrset | undefined
}

/** Checks one recordset, the others at its name, and the names above it. */
export function checkSound(reader: StoreReader, converted: ConvertedRow, findings: Findings): void {
  const { zone, apex, row, rrset } = converted
  const subject = subjectOf(row, zone)
  const markCount = row.recordMarks?.ofValues.length ?? row.records.length
  if (markCount !== row.records.length) {
    findings.add(
      'recordset',
      subject,
      `${markCount} of its ${row.records.length} records have a mark`,
    )
  }
  if (rrset === undefined) return
  const owner = lowerCaseName(rrset.owner)
  if (ownerNameText(owner) !== row.name.toLowerCase()) {
    findings.add('recordset', subject, `its name would be written ${ownerNameText(rrset.owner)}`)
  }
  if (!isAtOrBelow(owner, apex)) {
    findings.add('recordset', subject, 'its name is outside the zone')
    return
  }
  const above = dnameAbove(reader, zone, { owner, apex })
  if (above !== undefined && rrset.type !== types.NSEC3 && rrset.type !== types.RRSIG) {
    findings.add('recordset', subject, `there is a DNAME above it, at ${above}`)
  }
  const group = reader.list('recordsets', 'byOwner', keyOf(zone.id, row.name.toLowerCase()))
  const rows = [...group].filter(each => isWrittenElsewhere(zone) || !isAliasAddress(each))
  // Only once for each name.
  if (rows[0]?.id !== row.id) return
  const rrsets = rows.length === 1 ? [rrset] : rows.flatMap(each => rrsetOf(each, zone).rrset ?? [])
  for (const { kind } of nameDefects({ owner, isApex: owner === apex, rrsets })) {
    const all = rows.map(({ type }) => type).sort()
    findings.add(
      'recordset',
      { ...subject, type: all.join(', ') },
      `what is at this name is not sound: ${kind}`,
    )
  }
}

/** The location of a recordset in a finding. */
export function subjectOf({ id, name, type }: Recordset, zone: Zone): Subject {
  return { collection: 'recordsets', id, zone: zone.name, name, type }
}

/** Finds the nearest name above that has a DNAME, up to the apex. */
function dnameAbove(
  reader: StoreReader,
  zone: Zone,
  { owner, apex }: { readonly owner: Name; readonly apex: Name },
): string | undefined {
  for (let name = owner; name !== apex; ) {
    name = parentName(name)
    const dname = findRecordsetOf(reader, zone, { name: ownerNameText(name), type: 'DNAME' })
    // A DNAME without records does not count.
    if (dname !== undefined && dname.records.length > 0) return ownerNameText(name)
  }
  return undefined
}

/** The apex of a stored zone in lower case; undefined where its name is invalid. */
export function apexOf({ name }: Zone): Name | undefined {
  try {
    return lowerCaseName(parseName(name))
  } catch {
    return undefined
  }
}
