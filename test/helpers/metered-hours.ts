import { HourlyUsage } from '../../src/rating/metering/hourly-usage.ts'
import { newTally, recordsetMillisAt, zoneMillisAt } from '../../src/rating/metering/tally.ts'
import { PointStore } from '../../src/rating/segments/point-store.ts'
import { ownerOf } from './metered-zones.ts'
import { SimulatedDisk } from './simulated-disk.ts'
import { at } from './usage.ts'

/** What a zone used in an hour: responses as udp NOERROR, udp NXDOMAIN and so on. */
export type HourInput = {
  readonly zone: string
  readonly project?: string
  readonly responses?: readonly number[]
  readonly zoneMillis?: number
  readonly recordsetMillis?: number
}

/** A store of metered hours in memory. */
export async function openHours(
  onWritten: ConstructorParameters<typeof HourlyUsage>[1] = async () => undefined,
): Promise<HourlyUsage> {
  const points = await PointStore.open('/hours', { files: new SimulatedDisk() })
  return new HourlyUsage(points, onWritten)
}

/** Stores an hour as a meter does: `writeHour(hours, '2026-10-01T05', [{ zone: 'a', responses: [5] }])`. */
export async function writeHour(
  hours: HourlyUsage,
  begin: string,
  zones: readonly HourInput[],
): Promise<void> {
  const tallies = zones.map(({ zone, project = 'p1', responses = [], ...time }) => ({
    owner: { ...ownerOf(zone), projectId: project },
    tally: Object.assign(newTally(), responses, {
      [zoneMillisAt]: time.zoneMillis ?? 0,
      [recordsetMillisAt]: time.recordsetMillis ?? 0,
    }),
  }))
  await hours.write(at(begin) / 3600, tallies)
}
