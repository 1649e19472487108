import { isNewerSerial, nextSerial, serialAt } from '../../dns/serial.ts'
import type { Stamped } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import { keyOf } from '../../store/indexes.ts'
import type { Transaction } from '../../store/store.ts'

/** Serials kept for one project: the latest. */
const maxPerProject = 1000
/** How many of a project's serials one deletion compares with the clock, to drop those that the clock has passed. */
const lookedAt = 10

/** Keeps the serial of a deleted zone, unless a new zone of its name gets a newer one from the clock. */
export function keepLastSerial(
  tx: Transaction,
  { type, name, poolId, projectId, serial }: Zone,
  stamp: Stamped,
): void {
  const now = serialAt(tx.atMicros)
  if (type !== 'PRIMARY' || isNewerSerial(now, serial)) return
  const zoneName = name.toLowerCase()
  const count = tx.count('lastSerials', 'byProject', projectId)
  const oldest = [...tx.list('lastSerials', 'byProject', projectId)].slice(0, lookedAt)
  for (const [i, row] of oldest.entries()) {
    const isExcess = i === 0 && count >= maxPerProject
    if (isExcess || isNewerSerial(now, row.serial)) tx.delete('lastSerials', row.id)
  }
  const known = tx.find('lastSerials', 'byName', keyOf(poolId, zoneName))
  tx.put('lastSerials', { ...(known ?? stamp), zoneName, poolId, projectId, serial })
}

/** The serial of a new zone: that of the clock, or the one after the last serial of an earlier zone of its name. */
export function firstSerial(tx: Transaction, name: string, poolId: string): number {
  const last = takeLastSerial(tx, name, poolId)
  return last === undefined ? serialAt(tx.atMicros) : nextSerial(last, tx.atMicros / 1_000_000)
}

/** The serial that a restored zone goes on from: its own, or the last one of a later zone of its name. */
export function restoredSerial(tx: Transaction, zone: Zone, poolId: string): number {
  const last = takeLastSerial(tx, zone.name, poolId)
  return last !== undefined && isNewerSerial(last, zone.serial) ? last : zone.serial
}

function takeLastSerial(tx: Transaction, name: string, poolId: string): number | undefined {
  const row = tx.find('lastSerials', 'byName', keyOf(poolId, name.toLowerCase()))
  if (row !== undefined) tx.delete('lastSerials', row.id)
  return row?.serial
}
