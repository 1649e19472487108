import type { Appliance } from './appliance.ts'

// What a client knows of the recordsets it changed: the state that was acknowledged, and the state it
// asked for when no answer came. After a crash a server may show either, and nothing else.

export type LedgerZone = { readonly id: string; readonly name: string }

type Entry = {
  readonly zone: LedgerZone
  readonly name: string
  id: string | undefined
  /** The addresses, joined; empty for a recordset that does not exist. */
  acknowledged: string
  asked: string | undefined
}

export class Ledger {
  readonly zones: readonly LedgerZone[]
  readonly #entries: Entry[] = []
  readonly #entriesByZone = new Map<string, Entry[]>()
  readonly #lastChanged = new Set<Entry>()

  constructor(zones: readonly LedgerZone[]) {
    this.zones = zones
  }

  /** Creates an A recordset, which must succeed. */
  async create(
    server: Appliance,
    zone: LedgerZone,
    { name, octet }: { readonly name: string; readonly octet: number },
  ): Promise<void> {
    const entry: Entry = { zone, name, id: undefined, acknowledged: '', asked: undefined }
    this.#entries.push(entry)
    const ofZone = this.#entriesByZone.get(zone.id) ?? []
    ofZone.push(entry)
    this.#entriesByZone.set(zone.id, ofZone)
    await this.#put(server, entry, `192.0.2.${octet}`)
  }

  /** Changes one recordset that belongs to `writer` alone; false where the server went away meanwhile. */
  async changeSomething(
    server: Appliance,
    { writer, writerCount, random }: { writer: number; writerCount: number; random: () => number },
  ): Promise<boolean> {
    const own = Math.floor(this.#entries.length / writerCount)
    const entry = this.#entries[Math.floor(random() * own) * writerCount + writer] as Entry
    this.#lastChanged.add(entry)
    const addresses = `198.51.100.${Math.floor(random() * 256)}`
    try {
      if (entry.id !== undefined && random() < 0.3) await this.#delete(server, entry)
      else await this.#put(server, entry, addresses)
      return true
    } catch (error) {
      // A refused change is a bug and fails the test; only a broken connection is expected.
      if (error instanceof TypeError) return false
      throw error
    }
  }

  /** Returns which of a zone's A recordsets are neither as acknowledged nor as last requested, and adopts
   *  the served state. */
  differences(
    zone: LedgerZone,
    served: readonly { readonly name?: string; readonly id: string; readonly records: string[] }[],
  ): string[] {
    const byName = new Map(served.map(recordset => [recordset.name, recordset]))
    const found: string[] = []
    for (const entry of this.#entriesByZone.get(zone.id) ?? []) {
      const recordset = byName.get(entry.name)
      byName.delete(entry.name)
      const actual = recordset?.records.join() ?? ''
      if (!allowedOf(entry).includes(actual)) {
        found.push(`${entry.name}: '${actual}' instead of '${allowedOf(entry).join("' or '")}'`)
      }
      entry.id = recordset?.id
      entry.acknowledged = actual
      entry.asked = undefined
    }
    for (const name of byName.keys()) found.push(`${name} was never created`)
    return found
  }

  /** Takes the recordsets changed since the last call, with the addresses that `differences` then saw. */
  takeLastChanged(): { readonly name: string; readonly addresses: string }[] {
    const changed = [...this.#lastChanged]
    this.#lastChanged.clear()
    return changed.map(({ name, acknowledged }) => ({ name, addresses: acknowledged }))
  }

  async #put(server: Appliance, entry: Entry, addresses: string): Promise<void> {
    const { zone, name, id } = entry
    entry.asked = addresses
    const records = addresses.split(',')
    const path = `/v2/zones/${zone.id}/recordsets`
    const stored =
      id === undefined
        ? await server.json<{ id: string }>('POST', path, { name, type: 'A', records })
        : await server.json<{ id: string }>('PUT', `${path}/${id}`, { records })
    entry.id = stored.id
    entry.acknowledged = addresses
    entry.asked = undefined
  }

  async #delete(server: Appliance, entry: Entry): Promise<void> {
    entry.asked = ''
    await server.json('DELETE', `/v2/zones/${entry.zone.id}/recordsets/${entry.id}`)
    entry.id = undefined
    entry.acknowledged = ''
    entry.asked = undefined
  }
}

function allowedOf({ acknowledged, asked }: Entry): readonly string[] {
  return asked === undefined ? [acknowledged] : [acknowledged, asked]
}
