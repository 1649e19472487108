import { tsigSecretOf } from '../model/tsig-secret.ts'
import { KeyRingWriter } from '../nameserver/key-ring.ts'
import { everything } from '../store/indexes.ts'
import type { Commit, StoreReader } from '../store/store.ts'

/** The stored TSIG keys, in memory that all answering threads share: a change of a key is in effect when the response to it is
 *  sent. */
export class TsigKeyRing {
  readonly #writer = new KeyRingWriter()

  /** The memory that threads open as a `KeyRing`. */
  get memory(): SharedArrayBuffer {
    return this.#writer.memory
  }

  commitPublished({ rowChanges }: Pick<Commit, 'rowChanges'>, store: StoreReader): void {
    if (rowChanges.some(({ collection }) => collection === 'tsigKeys')) this.load(store)
  }

  load(store: StoreReader): void {
    const keys = [...store.list('tsigKeys', 'all', everything)]
    this.#writer.write(keys.flatMap(key => tsigSecretOf(key) ?? []))
  }
}
