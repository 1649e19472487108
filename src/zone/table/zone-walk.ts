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

  /** Must be called with each node before it leaves the circular list of its zone. */
  leave(words: Int32Array, node: number): void {
    for (const walk of this.#walks) if (walk.node === node) walk.pass(words)
  }

  /** Must be called with each node that another replaces. */
  move({ from, to }: { readonly from: number; readonly to: number }): void {
    for (const walk of this.#walks) if (walk.node === from) walk.node = to
  }

  /** Must be called with each zone that is taken apart. */
  leaveZone(zone: number): void {
    for (const walk of this.#walks) if (walk.zone === zone) walk.node = 0
  }
}
