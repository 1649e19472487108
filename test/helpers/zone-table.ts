import { types } from '../../src/dns/codes.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
import type { TableZone } from '../../src/zone/table/table-zone.ts'
import { ZoneTable } from '../../src/zone/table/zone-table.ts'
import { Dice } from './dice.ts'
import { rrsetsFromText } from './zone.ts'

/** A table whose hash is the same in every run. */
export function openTable(options: { reserveOctets?: number; seed?: number } = {}): ZoneTable {
  const dice = new Dice(options.seed ?? 1)
  const reserveOctets = options.reserveOctets ?? 2 ** 28
  return ZoneTable.create({ reserveOctets, randomWord: () => dice.below(2 ** 32) })
}

/** A zone of these RRsets that no target serves yet. */
export function createZone(table: ZoneTable, rrsets: readonly OwnedRrset[]): TableZone {
  const soa = rrsets.find(({ type }) => type === types.SOA)
  if (soa === undefined) throw new Error('a zone without a SOA')
  const zone = table.createZone(soa)
  for (const rrset of rrsets) zone.putRrset(rrset.owner, rrset)
  return zone
}

/** As `zoneFromText`, in a table. */
export function tableZoneFromText(table: ZoneTable, text: string): TableZone {
  return createZone(table, rrsetsFromText(text))
}
