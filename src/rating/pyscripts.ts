import { createHash } from 'node:crypto'
import { ApiError } from '../errors.ts'
import type { Changes } from '../model/changes.ts'
import type { Pyscript } from '../model/rating.ts'
import { newStamp, type Stamped, updatedRow } from '../model/stamped.ts'
import { everything } from '../store/indexes.ts'
import type { Store, StoreReader } from '../store/store.ts'
import { requireName } from './row-name.ts'

type PyscriptDraft = Omit<Pyscript, keyof Stamped>

/** Rating scripts, stored for programs elsewhere that run them: their text is not interpreted here. */
export class Pyscripts {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  list(): readonly Pyscript[] {
    return [...this.#store.list('pyscripts', 'all', everything)]
  }

  /** @throws ApiError not_found */
  get(id: string): Pyscript {
    return getScript(this.#store, id)
  }

  /** @throws ApiError bad_request, conflict the name is taken */
  create(draft: PyscriptDraft): Promise<Pyscript> {
    requireName(draft.name)
    return this.#store.commit(tx => {
      const script = { ...newStamp(tx), ...draft }
      requireNewName(tx, script)
      tx.put('pyscripts', script)
      return script
    })
  }

  /** @throws ApiError not_found, bad_request, conflict the name is taken */
  update(id: string, changes: Changes<PyscriptDraft>): Promise<Pyscript> {
    if (changes.name !== undefined) requireName(changes.name)
    return this.#store.commit(tx => {
      const before = getScript(tx, id)
      const script = updatedRow(tx, before, changes)
      if (script === before) return before
      requireNewName(tx, script)
      tx.put('pyscripts', script)
      return script
    })
  }

  /** @throws ApiError not_found */
  delete(id: string): Promise<void> {
    return this.#store.commit(tx => tx.delete('pyscripts', getScript(tx, id).id))
  }
}

/** SHA-512 of a script's text, in hexadecimal. */
export function checksumOf({ data }: Pyscript): string {
  return createHash('sha512').update(data).digest('hex')
}

function getScript(reader: StoreReader, id: string): Pyscript {
  const script = reader.get('pyscripts', id)
  if (script === undefined) throw new ApiError('not_found', `No such script: None (UUID: ${id})`)
  return script
}

function requireNewName(reader: StoreReader, { id, name }: Pyscript): void {
  const existing = reader.find('pyscripts', 'byName', name)
  if (existing === undefined || existing.id === id) return
  throw new ApiError('conflict', `Script ${name} already exists (UUID: ${existing.id})`)
}
