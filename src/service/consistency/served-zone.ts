import { types } from '../../dns/codes.ts'
import { type Name, parentName } from '../../dns/name.ts'
import { typeCode, typeMnemonic } from '../../dns/rdata/index.ts'
import { apexKeyTypes } from '../../dnssec/key.ts'
import { ownerNameText } from '../../model/owner-name.ts'
import { isComplete, type Zone } from '../../model/zone.ts'
import { keyOf } from '../../store/indexes.ts'
import type { StoreReader } from '../../store/store.ts'
import type { Rrset } from '../../zone/rrset.ts'
import type { TableZone } from '../../zone/table/table-zone.ts'
import type { TargetZones } from '../../zone/table/target-zones.ts'
import type { Findings } from './finding.ts'
import { type ConvertedRow, subjectOf } from './sound-rows.ts'

// Compares what a zone is answered from with its rows.

/** A server in this process and everything it answers from. */
export type CheckedTarget = { readonly name: string; readonly zones: TargetZones }

/** How a zone should be: answered as stored, not answered, or in transition between the two, where answers may
 *  differ from what is stored. */
export type ServiceState = 'served' | 'absent' | 'unsettled'

/** Derives how a zone should be answered; `isMoving` returns whether a pool is getting or losing listeners of its
 *  own. */
export function serviceState(zone: Zone, isMoving: (poolId: string) => boolean): ServiceState {
  if (isMoving(zone.poolId)) return 'unsettled'
  if (zone.isDeleting) return 'absent'
  // While a copy is being replaced, the old one is still answered, if it was whole.
  if (zone.transfer?.isReplacing === true) return 'unsettled'
  return isComplete(zone) ? 'served' : 'absent'
}

/** Finds what the targets of a zone's pool answer it from, and reports problems of that as a whole; undefined where
 *  there is nothing to compare rows with. */
export function checkServedZone(
  { zone, apex, state }: { readonly zone: Zone; readonly apex: Name; readonly state: ServiceState },
  targets: readonly CheckedTarget[],
  findings: Findings,
): TableZone | undefined {
  if (state === 'unsettled') return undefined
  const found = targets.map(({ name, zones }) => ({ target: name, served: zones.get(apex) }))
  for (const { target, served } of found) {
    const subject = { zone: zone.name, target }
    if (state === 'absent' && served !== undefined) {
      findings.add('served', subject, 'the zone is answered, and should not be')
    }
    if (state !== 'served') continue
    if (served === undefined) findings.add('served', subject, 'the zone is not answered')
    else if (served.ref !== found[0]?.served?.ref) {
      findings.add(
        'served',
        subject,
        'the zone is answered from something else than on other servers',
      )
    } else if (served.isExpired !== (zone.transfer?.isExpired ?? false)) {
      const problem = served.isExpired ? 'expired, and is not' : 'good, and has expired'
      findings.add('served', subject, `the zone is answered as if it were ${problem}`)
    }
  }
  return state === 'served' ? found[0]?.served : undefined
}

/** Checks that a recordset is answered as it is stored. */
export function checkServedRow(
  { zone, row, rrset }: ConvertedRow,
  served: TableZone,
  findings: Findings,
): void {
  if (rrset === undefined) return
  const problem = differenceOf(rrset, served.findRrset(rrset.owner, rrset.type))
  if (problem !== undefined) findings.add('served', subjectOf(row, zone), problem)
}

/** Checks that everything answered at a name is stored, and that the name has a reason to exist. */
export function checkServedName(
  reader: StoreReader,
  { zone, apex, served, name }: ServedName,
  findings: Findings,
): void {
  const text = ownerNameText(name)
  const subject = { zone: zone.name, name: text }
  const rows = [...reader.list('recordsets', 'byOwner', keyOf(zone.id, text))]
  const rrsets = served.rrsetsAt(name)
  for (const { type } of rrsets) {
    if (zone.dnssec !== undefined && madeTypes.has(type)) continue
    if (rows.some(row => typeCode(row.type) === type && row.records.length > 0)) continue
    const problem = 'it is answered, and is not stored'
    findings.add('served', { ...subject, type: typeMnemonic(type) }, problem)
  }
  if (name === apex) return
  if (rrsets.length === 0 && !served.hasNamesBelow(name)) {
    findings.add('served', subject, 'the name exists without records at or below it')
  }
  const parent = parentName(name)
  if (!served.hasNamesBelow(parent)) {
    findings.add(
      'served',
      subject,
      `the name above it, ${ownerNameText(parent)}, does not know of it`,
    )
  }
}

/** The types that the server makes where it signs a zone. */
const madeTypes: ReadonlySet<number> = new Set([
  ...apexKeyTypes,
  ...[types.NSEC, types.NSEC3, types.NSEC3PARAM, types.RRSIG],
])

type ServedName = {
  readonly zone: Zone
  readonly apex: Name
  readonly served: TableZone
  /** In lower case. */
  readonly name: Name
}

function differenceOf(stored: Rrset, served: Rrset | undefined): string | undefined {
  if (served === undefined) return 'it is not answered'
  if (stored.type === types.RRSIG) return differenceOfSignatures(stored, served)
  if (served.ttlSeconds !== stored.ttlSeconds) {
    return `its TTL is ${served.ttlSeconds} in answers, and ${stored.ttlSeconds} as stored`
  }
  const isSame =
    served.rdatas.length === stored.rdatas.length &&
    served.rdatas.every((rdata, index) => isSameRdata(rdata, stored.rdatas[index]))
  return isSame ? undefined : 'its records in answers are not those that are stored'
}

/** Signatures are answered one by one, each beside what it covers and with the TTL of that. */
function differenceOfSignatures(stored: Rrset, served: Rrset): string | undefined {
  const [one, other] = [stored, served].map(({ rdatas }) => rdatas.toSorted(Buffer.compare))
  const isSame = one?.every((rdata, index) => isSameRdata(rdata, other?.[index])) ?? false
  if (isSame && one?.length === other?.length) return undefined
  return 'its records in answers are not those that are stored'
}

function isSameRdata(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && Buffer.compare(one, other) === 0
}
