import { soaMailAddress } from '../../bulk/import-soa.ts'
import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import { catalogRoleOf } from '../../model/catalog.ts'
import { requireValid } from '../../model/field-rules.ts'
import type { Recordset } from '../../model/recordset.ts'
import { rrsetOf } from '../../model/recordset-rrset.ts'
import { changedRow } from '../../model/stamped.ts'
import { transferKeyAttribute } from '../../model/transfer-peers.ts'
import { isComplete, type Zone } from '../../model/zone.ts'
import { zoneFieldErrors } from '../../model/zone-draft.ts'
import type { ListOptions, Store, StoreReader, Transaction } from '../../store/store.ts'
import type { Steps } from '../../time-slice.ts'
import { findAtApex } from '../rules/find-recordset.ts'
import { getChangeableZone } from '../rules/zone-access.ts'
import { rewriteApex } from '../rules/zone-rows.ts'

// Turns a SECONDARY zone into a PRIMARY with the same content, to take zones over from a server that is to be retired.
// All recordsets of a SECONDARY are the server's, so each is first made the owner's. For a large zone this takes
// several commits, which do not change any answer; the last one makes the zone a PRIMARY.

/** Recordsets of one commit. */
const commitRecordsets = 1000

/** The maximum number of passes over the recordsets, where masters change them meanwhile. */
const maxPasses = 5

/** Makes a SECONDARY zone a PRIMARY, with its content as it is, the name servers of its pool and the next serial.
 *  @throws ApiError zone_not_found, forbidden, no_servers_configured, invalid_object; bad_request it is no SECONDARY, has
 *  no whole copy, is or is listed by a catalog, or is signed by its master */
export async function promoteZone(store: Store, caller: Caller, id: string): Promise<Zone> {
  let after: ListOptions['after']
  for (let pass = 1; pass <= maxPasses; ) {
    const promoted = await store.commitInSteps(function* (tx): Steps<Zone | undefined> {
      const zone = getPromotable(tx, caller, id)
      const rows = nextRows(tx, id, after)
      for (const row of rows) {
        if (!row.isManaged || isOfApex(row, zone)) continue
        yield void tx.put('recordsets', changedRow(tx, row, { isManaged: false }))
      }
      after = rows.length === commitRecordsets ? rows.at(-1) : undefined
      return after === undefined && isOwners(tx, zone) ? asPrimary(tx, zone) : undefined
    })
    if (promoted !== undefined) return promoted
    if (after === undefined) pass += 1
  }
  throw new ApiError('bad_request', 'The masters of the zone changed it again and again')
}

function nextRows(tx: Transaction, id: string, after: ListOptions['after']): Recordset[] {
  const rows: Recordset[] = []
  for (const row of tx.list('recordsets', 'byZone', id, after && { after })) {
    rows.push(row)
    if (rows.length === commitRecordsets) break
  }
  return rows
}

/** @throws ApiError */
function getPromotable(reader: StoreReader, caller: Caller, id: string): Zone {
  const zone = getChangeableZone(reader, caller, id)
  const problem = problemOf(reader, zone)
  if (problem !== undefined) throw new ApiError('bad_request', problem)
  return zone
}

function problemOf(reader: StoreReader, zone: Zone): string | undefined {
  if (zone.type !== 'SECONDARY') return 'The zone is a PRIMARY already'
  if (!isComplete(zone)) return 'There is no whole copy of the zone yet'
  if (catalogRoleOf(zone) !== undefined) return 'A catalog that is consumed stays a SECONDARY'
  if (zone.member !== undefined)
    return 'A catalog lists the zone, and would make it a SECONDARY again: take it out of the catalog first'
  if (findAtApex(reader, zone, 'DNSKEY') === undefined) return undefined
  return (
    'The zone is signed by its master, and its signatures would not cover a change: take it over as a zone file ' +
    'without signatures, and import its keys'
  )
}

/** Whether the server keeps a recordset of a PRIMARY zone. */
function isOfApex({ type, name }: Recordset, zone: Zone): boolean {
  return (type === 'SOA' || type === 'NS') && name.toLowerCase() === zone.name.toLowerCase()
}

/** Whether all recordsets but SOA and apex NS are the owner's. */
function isOwners(reader: StoreReader, zone: Zone): boolean {
  const ofApex = ['SOA', 'NS'].map(type => findAtApex(reader, zone, type))
  const count = ofApex.reduce((sum, row) => sum + (row?.isManaged ? row.records.length : 0), 0)
  return reader.sum('recordsets', 'managedRecordsOfZone', zone.id) === count
}

function asPrimary(tx: Transaction, zone: Zone): Zone {
  const { transfer: _, hasTrustedMasters: __, ...copy } = zone
  const { [transferKeyAttribute]: ___, ...attributes } = zone.attributes
  const soa = findAtApex(tx, zone, 'SOA')
  const rrset = soa && rrsetOf(soa, zone).rrset
  if (rrset === undefined) throw new Error(`${zone.name} has been transferred without an SOA`)
  const primary: Zone = {
    ...copy,
    type: 'PRIMARY',
    masters: [],
    transferredAt: null,
    attributes,
    email: soaMailAddress(rrset) ?? `hostmaster@${zone.name.slice(0, -1)}`,
    ttlSeconds: rrset.ttlSeconds,
  }
  requireValid('zone', zoneFieldErrors(primary))
  return rewriteApex(tx, primary)
}
