import { createHash } from 'node:crypto'
import type { Changes } from '../model/changes.ts'
import type { Pyscript } from '../model/rating.ts'
import { newStamp, type Stamped, updatedRow } from '../model/stamped.ts'
import type { Store } from '../store/store.ts'
import { NamedRows, requireName } from './named-rows.ts'

type PyscriptDraft = Omit<Pyscript, keyof Stamped>

/** Rating scripts, stored for programs elsewhere that run them: their text is not interpreted here. */
export class Pyscripts extends NamedRows<'pyscripts'> {
  constructor(store: Store) {
    super(store, 'pyscripts')
  }

  /** @throws ApiError bad_request, conflict the name is taken */
  create(draft: PyscriptDraft): Promise<Pyscript> {
    requireName(draft.name)
    return this.store.commit(tx => this.put(tx, { ...newStamp(tx), ...draft }))
  }

  /** @throws ApiError not_found, bad_request, conflict the name is taken */
  update(id: string, changes: Changes<PyscriptDraft>): Promise<Pyscript> {
    if (changes.name !== undefined) requireName(changes.name)
    return this.store.commit(tx => {
      const before = this.getFrom(tx, id)
      const script = updatedRow(tx, before, changes)
      return script === before ? before : this.put(tx, script)
    })
  }

  /** @throws ApiError not_found */
  delete(id: string): Promise<void> {
    return this.store.commit(tx => tx.delete('pyscripts', this.getFrom(tx, id).id))
  }
}

/** SHA-512 of a script's text, in hexadecimal. */
export function checksumOf({ data }: Pyscript): string {
  return createHash('sha512').update(data).digest('hex')
}
