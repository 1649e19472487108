import type { Name } from '../dns/name.ts'
import type { TsigSecret } from '../dns/tsig-mac.ts'

// The keys of TSIG in memory that all threads share. Few requests are signed and keys rarely change, so a thread reads
// all keys again when it sees another version, and gets no message.

/** Two words, then the keys as text. */
const word = { version: 0, octets: 1 } as const
const headOctets = 8
/** Some hundred thousand keys; only what is used takes memory. */
const maxOctets = 2 ** 24

/** Writes the keys for all threads. There is one. */
export class KeyRingWriter {
  readonly memory = new SharedArrayBuffer(maxOctets)
  readonly #words = new Int32Array(this.memory, 0, headOctets / 4)

  /** Replaces all keys.
   *  @throws RangeError there are too many. */
  write(keys: readonly TsigSecret[]): void {
    const text = JSON.stringify(keys.map(key => ({ ...key, secret: [...key.secret] })))
    const octets = new TextEncoder().encode(text)
    if (octets.length > maxOctets - headOctets) throw new RangeError('too many TSIG keys')
    // Odd while it is written.
    Atomics.add(this.#words, word.version, 1)
    new Uint8Array(this.memory).set(octets, headOctets)
    Atomics.store(this.#words, word.octets, octets.length)
    Atomics.add(this.#words, word.version, 1)
  }
}

/** The keys as one thread reads them. */
export class KeyRing {
  readonly #memory: SharedArrayBuffer
  readonly #words: Int32Array<SharedArrayBuffer>
  #version = 0
  #keys: ReadonlyMap<string, TsigSecret> = new Map()

  constructor(memory: SharedArrayBuffer) {
    this.#memory = memory
    this.#words = new Int32Array(memory, 0, headOctets / 4)
  }

  /** Returns the key of a name, lower-case, that is for this algorithm. */
  find(name: Name, algorithm: Name): TsigSecret | undefined {
    const version = Atomics.load(this.#words, word.version)
    if (version !== this.#version) this.#read(version)
    const key = this.#keys.get(name)
    return key?.algorithm === algorithm ? key : undefined
  }

  /** Keeps the old keys while new ones are being written: the next request sees the new ones. */
  #read(version: number): void {
    if (version % 2 !== 0) return
    const length = Atomics.load(this.#words, word.octets)
    const octets = new Uint8Array(this.#memory, headOctets, length).slice()
    if (Atomics.load(this.#words, word.version) !== version) return
    const rows = length === 0 ? [] : (JSON.parse(new TextDecoder().decode(octets)) as StoredKey[])
    this.#keys = new Map(
      rows.map(row => [row.name, { ...row, secret: Uint8Array.from(row.secret) }]),
    )
    this.#version = version
  }
}

type StoredKey = Omit<TsigSecret, 'secret'> & { readonly secret: readonly number[] }
