import type { Transport } from '../../src/nameserver/request.ts'
import { openResponder, type Responder } from '../../src/nameserver/responder.ts'
import type { TargetZones } from '../../src/zone/table/target-zones.ts'
import { serverHost, serverSettings } from './asked-server.ts'
import type { ServedZones } from './oracle/served-zone.ts'
import { ZoneImage } from './zone-image/image.ts'
import { ZoneSet } from './zone-image/zone-set.ts'
import { createZone, openTable } from './zone-table.ts'

// Every query of a test to a set of zone images also goes to a table of the same zones, which must return
// the same octets. So every scenario and every conformance test covers both ways of answering.

/** @throws Error the table answers otherwise */
export function requireSameFromTable(
  zones: ServedZones,
  request: Uint8Array,
  { transport, octets }: { transport: Transport; octets: Uint8Array },
): void {
  if (!(zones instanceof ZoneSet)) return
  const twin = twinOf(zones)
  if (twin === undefined) return
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
  readonly states: Map<ZoneImage, string>
}

const table = openTable()
const twins = new WeakMap<ZoneSet, Twin>()

/** Returns the twin, updated with all changes since the last call; undefined for zones of another kind. */
function twinOf(zones: ZoneSet): Twin | undefined {
  const images = [...zones].filter(zone => zone instanceof ZoneImage)
  if (images.length < zones.size) return undefined
  const twin = twins.get(zones) ?? newTwin()
  twins.set(zones, twin)
  for (const image of twin.states.keys()) {
    if (zones.get(image.apex) === image) continue
    twin.states.delete(image)
    if (zones.get(image.apex) === undefined) twin.target.withdraw(image.apex)
  }
  for (const image of images) {
    const state = `${image.serial} ${image.rrsetCount} ${image.nodeCount} ${image.isExpired}`
    if (twin.states.get(image) === state) continue
    twin.states.set(image, state)
    const zone = createZone(table, [...image.rrsets()])
    zone.isExpired = image.isExpired
    twin.target.publish(zone)
  }
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
