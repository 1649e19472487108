import { isNewerSerial, nextSerial, serialAt } from '../../dns/serial.ts'
import type { LastSerial } from '../../model/last-serial.ts'
import type { Pool } from '../../model/pool.ts'
import { newStamp } from '../../model/stamped.ts'
import { isWrittenElsewhere, type Zone } from '../../model/zone.ts'
import { everything, keyOf } from '../../store/indexes.ts'
import type { Transaction } from '../../store/store.ts'
import { isAnsweredBy } from './zone-tree.ts'

/** Serials kept for one project. */
const maxPerProject = 1000
/** How many of the oldest are looked at for one that the clock has passed, which only a zone file needs. */
const lookedAt = 10

/** Keeps the serial of a zone that goes, for the next zone of its name. */
export function keepLastSerial(tx: Transaction, zone: Zone): void {
  if (zone.type !== 'PRIMARY') return
  const { poolId, projectId } = zone
  const zoneName = zone.name.toLowerCase()
  const known = tx.find('lastSerials', 'byName', keyOf(poolId, zoneName))
  if (known !== undefined) tx.delete('lastSerials', known.id)
  else makeRoom(tx, projectId)
  const serial = newest(zone.serial, known?.serial)
  tx.put('lastSerials', { ...newStamp(tx), zoneName, poolId, projectId, serial })
}

function makeRoom(tx: Transaction, projectId: string): void {
  if (tx.count('lastSerials', 'byProject', projectId) < maxPerProject) return
  const now = serialAt(tx.atMicros)
  let dropped: LastSerial | undefined
  let count = 0
  for (const row of tx.list('lastSerials', 'byProject', projectId)) {
    const isPassed = isNewerSerial(now, row.serial)
    if (isPassed || count === 0) dropped = row
    count += 1
    if (isPassed || count === lookedAt) break
  }
  if (dropped !== undefined) tx.delete('lastSerials', dropped.id)
}

/** The serial of a new zone: that of the clock or of its zone file, or one that is newer than the last serial of an earlier zone
 *  of its name. */
export function firstSerial(
  tx: Transaction,
  {
    name,
    pool,
    given,
  }: { readonly name: string; readonly pool: Pool; readonly given?: number | undefined },
): number {
  const wanted = given ?? serialAt(tx.atMicros)
  const last = takeLastSerial(tx, name, pool)
  if (last === undefined || isNewerSerial(wanted, last)) return wanted
  return nextSerial(last, tx.atMicros / 1_000_000)
}

/** The serial that a zone goes on from when it is restored or comes to a pool: its own, or the last one of another zone of its
 *  name; its own where it is written elsewhere. */
export function continuedSerial(tx: Transaction, zone: Zone, pool: Pool): number {
  if (isWrittenElsewhere(zone)) return zone.serial
  return newest(zone.serial, takeLastSerial(tx, zone.name, pool))
}

/** The newest of the last serials in all pools that are answered as this one. */
function takeLastSerial(tx: Transaction, name: string, pool: Pool): number | undefined {
  let last: number | undefined
  for (const { id: poolId } of tx.list('pools', 'all', everything)) {
    if (!isAnsweredBy(tx, { poolId }, pool)) continue
    const row = tx.find('lastSerials', 'byName', keyOf(poolId, name.toLowerCase()))
    if (row === undefined) continue
    tx.delete('lastSerials', row.id)
    last = newest(row.serial, last)
  }
  return last
}

function newest(serial: number, other: number | undefined): number {
  return other !== undefined && isNewerSerial(other, serial) ? other : serial
}
