import type { Name } from '../../dns/name.ts'
import { nameOfEntry, ringFrom } from './entries.ts'
import { entry, header, maxSeats, seatWords, target as targetBlock, zone } from './layout.ts'
import { TableMemory } from './memory.ts'
import { Seats, type Target } from './seats.ts'

/** A table as it was when its memory was copied (`ZoneTable.image`): answered from like any other, and never changed. */
export class FrozenTable {
  readonly seats: Seats
  readonly #memory: TableMemory

  /** @param memory the copy, and nothing else */
  constructor(memory: SharedArrayBuffer) {
    this.#memory = new TableMemory(memory)
    // Those who sat there read another memory.
    this.#memory.words.fill(0, header.seats, header.seats + maxSeats * seatWords)
    this.seats = new Seats(this.#memory)
  }

  get memory(): SharedArrayBuffer {
    return this.#memory.buffer
  }

  /** The zones of a target, by the numbers that they are counted by. */
  *slotsOf({ ref }: Target): Generator<{ readonly apex: Name; readonly slot: number }> {
    const { words } = this.#memory
    for (const at of ringFrom(words, words[ref + targetBlock.anyApex] as number)) {
      const slot = words[(words[at + entry.zone] as number) + zone.slot] as number
      yield { apex: nameOfEntry(this.#memory, at), slot }
    }
  }
}
