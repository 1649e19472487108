import type { Test } from 'tap'
import { formatName, lowerCaseName } from '../../src/dns/name.ts'
import { formatRdata, typeMnemonic } from '../../src/dns/rdata/index.ts'
import { rrsetOf } from '../../src/model/recordset-rrset.ts'
import type { Zone } from '../../src/model/zone.ts'
import { everything } from '../../src/store/indexes.ts'
import type { StoreReader } from '../../src/store/store.ts'
import type { TableZone } from '../../src/zone/table/table-zone.ts'
import type { TestDns } from './dns.ts'
import { ListedZone } from './oracle/listed-zone.ts'

/** Asserts that every target serves exactly what the store holds, as if freshly read from it. */
export function checkPublished(t: Test, { store, targets }: TestDns): void {
  const expected = (['all', 'abandoned'] as const)
    .flatMap(index => [...store.list('zones', index, everything)])
    .filter(zone => !zone.isDeleting && (zone.type === 'PRIMARY' || zone.transferredAt !== null))
    .map(zone => textOf(readStored(store, zone)))
    .sort()
  for (const { name, zones } of targets) {
    t.same([...zones].map(textOf).sort(), expected, `${name} serves what is stored`)
  }
}

function readStored(store: StoreReader, zone: Zone): ListedZone {
  const rrsets = [...store.list('recordsets', 'byZone', zone.id)]
    .map(row => rrsetOf(row, zone).rrset)
    .filter(rrset => rrset !== undefined)
  const stored = new ListedZone(rrsets)
  stored.isExpired = zone.transfer?.isExpired ?? false
  return stored
}

/** All that a zone holds, one record a line. */
function textOf(zone: ListedZone | TableZone): string {
  const lines = [...zone.rrsets()].flatMap(({ owner, type, ttlSeconds, rdatas }) =>
    rdatas.map(rdata => {
      const name = formatName(lowerCaseName(owner))
      return `${name} ${ttlSeconds} ${typeMnemonic(type)} ${formatRdata(type, rdata)}`
    }),
  )
  const state = `${zone.serial} ${zone.nodeCount} ${zone.isExpired}`
  return [formatName(zone.apex), state, ...lines.sort()].join('\n')
}
