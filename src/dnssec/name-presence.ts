import { labelsOf, type Name, parentName } from '../dns/name.ts'
import type { TableZone } from '../zone/table/table-zone.ts'

/** The names of a zone of the table that exist after edits: those with records, and empty non-terminals above them. */
export class NamePresence {
  readonly #zone: TableZone
  readonly #hasData: (name: Name) => boolean
  /** Of names at and above those that are edited. */
  readonly #isThere = new Map<Name, boolean>()
  readonly #changed: Name[] = []
  /** The edited name that adds or removes a name above it. */
  readonly #causes = new Map<Name, Name>()

  /** @param hasData whether a name has records after the edits */
  constructor(zone: TableZone, hasData: (name: Name) => boolean) {
    this.#zone = zone
    this.#hasData = hasData
  }

  /** Follows the edits of these names, in lower case, up to the apex. */
  settle(edited: Iterable<Name>): void {
    const byDepth: Set<Name>[] = []
    const add = (name: Name) => {
      const depth = labelsOf(name).length
      byDepth[depth] = (byDepth[depth] ?? new Set()).add(name)
    }
    for (const name of edited) {
      add(name)
      this.#causes.set(name, name)
    }
    const childrenCome = new Map<Name, number>()
    for (let depth = byDepth.length - 1; depth >= 0; depth -= 1) {
      for (const name of byDepth[depth] ?? []) {
        const was = this.#wasThere(name)
        const childCount = this.#zone.childCount(name) + (childrenCome.get(name) ?? 0)
        const is = name === this.#zone.apex || childCount > 0 || this.#hasData(name)
        this.#isThere.set(name, is)
        if (is === was) continue
        this.#changed.push(name)
        const parent = parentName(name)
        childrenCome.set(parent, (childrenCome.get(parent) ?? 0) + (is ? 1 : -1))
        if (!this.#causes.has(parent)) this.#causes.set(parent, this.causeOf(name))
        add(parent)
      }
    }
  }

  /** Names that edits add or remove. */
  changed(): readonly Name[] {
    return this.#changed
  }

  isThere(name: Name): boolean {
    return this.#isThere.get(name) ?? this.#wasThere(name)
  }

  /** The edited name that adds or removes a name: itself, or one below it. */
  causeOf(name: Name): Name {
    return this.#causes.get(name) ?? name
  }

  #wasThere(name: Name): boolean {
    return this.#zone.givenName(name) !== undefined
  }
}
