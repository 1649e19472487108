import { tsigSecretOf } from '../model/tsig-secret.ts'
import { KeyRingWriter } from '../nameserver/key-ring.ts'
import { everything } from '../store/indexes.ts'
import type { Commit, StoreReader } from '../store/store.ts'

/** The stored TSIG keys, where all answering threads find them: a changed key is good, or no longer, when its change is
 *  answered. */
export class TsigKeyRing {
  readonly #writer = new KeyRingWriter()

  /** What threads open as a `KeyRing`. */
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
