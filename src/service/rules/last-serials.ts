import { isNewerSerial, nextSerial, serialAt } from '../../dns/serial.ts'
import type { Stamped } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import { keyOf } from '../../store/indexes.ts'
import type { Transaction } from '../../store/store.ts'

/** That are kept for one project, the latest. */
const maxPerProject = 1000
/** Of those of a project, how many one deletion looks at to see whether the clock is past them. */
const lookedAt = 10

/** Keeps the serial of a zone that is deleted, unless a new zone of its name has a newer one by the clock. */
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

/** The serial of a zone that is new: that of the clock, or the one behind what a zone of its name has had. */
export function firstSerial(tx: Transaction, name: string, poolId: string): number {
  const last = tx.find('lastSerials', 'byName', keyOf(poolId, name.toLowerCase()))
  if (last === undefined) return serialAt(tx.atMicros)
  tx.delete('lastSerials', last.id)
  return nextSerial(last.serial, tx.atMicros / 1_000_000)
}
