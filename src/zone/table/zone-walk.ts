import { entry, zone as zoneBlock } from './layout.ts'

/** A walk over the nodes of a zone that takes its time: names come and go meanwhile, and so may the zone. */
export class ZoneWalk {
  /** The zone, while there is a node to come. */
  zone = 0
  /** The next node; 0 for none. */
  node = 0

  /** Goes on to the node behind the next one. */
  pass(words: Int32Array): void {
    const behind = words[this.node + entry.next] as number
    this.node = behind === words[this.zone + zoneBlock.apex] ? 0 : behind
  }

  /** Must be told of each node before it leaves the ring of its zone. */
  leave(words: Int32Array, node: number): void {
    if (this.node === node) this.pass(words)
  }

  /** Must be told of each zone that is taken apart. */
  leaveZone(zone: number): void {
    if (this.zone === zone) this.node = 0
  }
}
