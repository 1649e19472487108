import { entry, zone as zoneBlock } from './layout.ts'

/** A long walk over the nodes of a zone: names may come and go meanwhile, and so may the zone. */
export class ZoneWalk {
  /** The zone, while there is a node to come. */
  zone = 0
  /** The next node; 0 for none. */
  node = 0

  /** Advances to the node behind the next one. */
  pass(words: Int32Array): void {
    const behind = words[this.node + entry.next] as number
    this.node = behind === words[this.zone + zoneBlock.apex] ? 0 : behind
  }

  /** Begins with the apex of a zone. */
  begin(words: Int32Array, zone: number): void {
    this.zone = zone
    this.node = words[zone + zoneBlock.apex] as number
  }

  /** Must be called with each node before it leaves the circular list of its zone. */
  leave(words: Int32Array, node: number): void {
    if (this.node === node) this.pass(words)
  }

  /** Must be called with each node that another replaces. */
  move({ from, to }: { readonly from: number; readonly to: number }): void {
    if (this.node === from) this.node = to
  }

  /** Must be called with each zone that is taken apart. */
  leaveZone(zone: number): void {
    if (this.zone === zone) this.node = 0
  }
}

/** All walks in progress. */
export class ZoneWalks {
  readonly #walks = new Set<ZoneWalk>()

  open(): ZoneWalk {
    const walk = new ZoneWalk()
    this.#walks.add(walk)
    return walk
  }

  close(walk: ZoneWalk): void {
    this.#walks.delete(walk)
  }

  leave(words: Int32Array, node: number): void {
    for (const walk of this.#walks) walk.leave(words, node)
  }

  move(nodes: { readonly from: number; readonly to: number }): void {
    for (const walk of this.#walks) walk.move(nodes)
  }

  leaveZone(zone: number): void {
    for (const walk of this.#walks) walk.leaveZone(zone)
  }
}
