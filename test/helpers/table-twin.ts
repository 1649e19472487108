import type { Transport } from '../../src/nameserver/request.ts'
import { openResponder, type Responder } from '../../src/nameserver/responder.ts'
import type { TargetZones } from '../../src/zone/table/target-zones.ts'
import { serverHost, serverSettings } from './asked-server.ts'
import type { ListedZone } from './oracle/listed-zone.ts'
import type { ZoneSet } from './oracle/zone-set.ts'
import { createZone, openTable } from './zone-table.ts'

// Every query of a test to the oracle also goes to a table of the same zones, which must return the same octets. So every
// scenario and every conformance test judges the nameserver.

/** @throws Error the table answers otherwise */
export function requireSameFromTable(
  zones: ZoneSet,
  request: Uint8Array,
  { transport, octets }: { transport: Transport; octets: Uint8Array },
): void {
  const twin = twinOf(zones)
  const room = new Uint8Array(transport === 'udp' ? 1232 : 0xffff)
  twin.responder.enter()
  twin.responder.take(0, request, request.length, transport)
  const length = twin.responder.respond(0, room)
  twin.responder.leave()
  const found = hex(room.subarray(0, length))
  if (found !== hex(octets)) throw new Error(`from the table: ${found}, expected ${hex(octets)}`)
}

type Twin = {
  readonly responder: Responder
  readonly target: TargetZones
  /** The state of each zone when it was copied. */
  states: ReadonlyMap<ListedZone, string>
}

const table = openTable()
const twins = new WeakMap<ZoneSet, Twin>()

/** Returns the twin, updated with all changes since the last call. */
function twinOf(zones: ZoneSet): Twin {
  const twin = twins.get(zones) ?? newTwin()
  twins.set(zones, twin)
  for (const { apex } of twin.states.keys()) {
    if (zones.get(apex) === undefined) twin.target.withdraw(apex)
  }
  const states = new Map([...zones].map(zone => [zone, `${zone.changeCount} ${zone.isExpired}`]))
  for (const [zone, state] of states) {
    if (twin.states.get(zone) === state) continue
    const copy = createZone(table, zone.rrsets())
    copy.isExpired = zone.isExpired
    twin.target.publish(copy)
  }
  twin.states = states
  return twin
}

function newTwin(): Twin {
  const target = table.addTarget()
  const handle = { ...table.readers.open(target).handle, ...serverSettings }
  const responder = openResponder(handle, defect => {
    throw defect
  })
  responder.host = serverHost()
  return { responder, target, states: new Map() }
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex')
}
