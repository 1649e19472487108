import { classes, types } from '../dns/codes.ts'
import { parseName } from '../dns/name.ts'
import type { TableMemory } from '../zone/table/memory.ts'
import { NameKey } from '../zone/table/name-key.ts'
import type { Request } from './request.ts'

/** The facts that a server gives about itself on request. */
export type ServerFacts = {
  /** Which one of several servers it is: NSID (RFC 5001), `id.server` (RFC 4892) and `hostname.bind`. At most 255 octets. */
  readonly identity?: Uint8Array | undefined
  /** `version.server` and `version.bind`. At most 255 octets. */
  readonly version?: Uint8Array | undefined
}

/** The names of class CH that ask for the facts. */
const names = {
  identity: ['id.server.', 'hostname.bind.'],
  version: ['version.server.', 'version.bind.'],
} as const satisfies Record<keyof ServerFacts, readonly string[]>

/** Finds the fact that a question of class CH asks for. */
export class ChaosNames {
  readonly #facts: readonly { readonly key: NameKey; readonly text: Uint8Array }[]

  constructor({ identity, version }: ServerFacts, memory: TableMemory) {
    this.#facts = [...named(names.identity, identity), ...named(names.version, version)].map(
      ({ name, text }) => {
        const key = new NameKey(memory)
        key.readName(parseName(name))
        return { key, text }
      },
    )
  }

  /** Returns the text that the request asks for; undefined where there is none. */
  textFor({ key, qclass, qtype }: Request): Uint8Array | undefined {
    if (qclass !== classes.chaos || (qtype !== types.TXT && qtype !== types.ANY)) return undefined
    for (let i = 0; i < this.#facts.length; i += 1) {
      const fact = this.#facts[i]
      if (fact?.key.isSame(key)) return fact.text
    }
    return undefined
  }
}

function named(wanted: readonly string[], text: Uint8Array | undefined) {
  return text === undefined ? [] : wanted.map(name => ({ name, text }))
}
