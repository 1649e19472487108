import { Counters, readerCounts, reserveCounters, tcpReaderCounts } from './counters.ts'
import { readerWord } from './epochs.ts'
import type { ZoneTableHandle } from './handle.ts'
import { maxReaders } from './layout.ts'
import type { TableMemory } from './memory.ts'

/** The part of a target (`TargetZones`) that a reader has to know. */
export type Target = { readonly ref: number }

/** A place for one reading thread. */
export type OpenReader = {
  readonly handle: ZoneTableHandle
  /** To be called when the thread has ended, however it ended: releases what it held back. Idempotent. */
  close(): void
}

const rcodePlaces = Array.from({ length: readerCounts.dropped - readerCounts.rcodes }, (_, i) => i)

/** The readers of a table, as its writer sees them. */
export class Readers {
  readonly #memory: TableMemory
  readonly #free: number[] = []
  /** By reader, for all readers that were ever taken. */
  readonly #counters: SharedArrayBuffer[] = []
  readonly #readings: Counters[] = []

  constructor(memory: TableMemory) {
    this.#memory = memory
  }

  /** What each reader has counted (`Counters`), also of threads that have ended. */
  get counters(): readonly SharedArrayBuffer[] {
    return this.#counters
  }

  /** One of `zoneCounts`, added up over all readers. O(readers). */
  countOfZone(zoneNumber: number, index: number): number {
    let sum = 0
    for (const reading of this.#readings) sum += reading.getOfZone(zoneNumber, index)
    return sum
  }

  /** One of `readerCounts`, added up over all readers. O(readers). */
  countOfReaders(index: number): number {
    let sum = 0
    for (const reading of this.#readings) sum += reading.get(index)
    return sum
  }

  /** The responses of each reader. */
  responses(): readonly number[] {
    const from = [readerCounts.rcodes, tcpReaderCounts + readerCounts.rcodes]
    const places = from.flatMap(first => rcodePlaces.map(place => first + place))
    return this.#readings.map(reading => places.reduce((sum, index) => sum + reading.get(index), 0))
  }

  /** @throws RangeError all readers are taken. */
  open({ ref: target }: Target): OpenReader {
    const reader = this.#takeNumber()
    const counters = this.#counters[reader] as SharedArrayBuffer
    let isOpen = true
    return {
      handle: { memory: this.#memory.buffer, counters, reader, target },
      close: () => {
        if (!isOpen) return
        isOpen = false
        Atomics.store(this.#memory.words, readerWord(reader), 0)
        this.#free.push(reader)
      },
    }
  }

  #takeNumber(): number {
    return this.#free.pop() ?? this.#addReader()
  }

  #addReader(): number {
    const reader = this.#counters.length
    if (reader === maxReaders) throw new RangeError(`a table has at most ${maxReaders} readers`)
    const counters = reserveCounters()
    this.#counters.push(counters)
    this.#readings.push(new Counters(counters))
    return reader
  }
}
