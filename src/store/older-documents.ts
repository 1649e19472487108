import { basename, join } from 'node:path'
import { type Defect, type OnDamage, problemOf } from '../durable/damage.ts'
import type { Place } from '../durable/file-system.ts'
import { previousSuffix } from '../durable/replace-file.ts'
import type { CollectionName } from '../model/collections.ts'
import type { Recordset } from '../model/recordset.ts'
import type { Zone } from '../model/zone.ts'
import { type Document, readDocument } from './document.ts'
import { LoadedRows } from './loaded-rows.ts'
import { type AnyManifest, manifestPath } from './manifest.ts'
import type { Row } from './table.ts'
import { collectionNames } from './tables.ts'

// What a store of format 1 or 2 has beside its log: a document for each small collection and for each zone, which has
// its record sets in it or, if they are many, in shards beside it. A start reads them once, writes all of it anew, and
// keeps them under other names, which nobody reads any more, until somebody removes them: `<name>.format-2`.
//
//   system/<collection>.json   zones/<2 hex>/<zone-id>.json   zones/<2 hex>/<zone-id>.d/<shard>.json
//   zones.json                 the ids of all zones that have a document
//   *.prev                     what a document was before it was last written

/** `_lsn`: every change up to it is in the documents; `previousLsn`: and in the `.prev` of those that have one. */
type OlderManifest = AnyManifest & {
  readonly previousLsn: number
  readonly atMicros: number
  readonly collections: readonly CollectionName[]
}

type OlderDocument = Document & { readonly _lsn: number }
type SystemDocument = OlderDocument & { readonly rows: readonly Row[] }
type RecordsetsDocument = OlderDocument & { readonly recordsets: readonly Recordset[] }
type ZoneDocument = RecordsetsDocument & {
  readonly zone: Zone
  readonly shards: readonly { readonly number: number }[]
}
type ZoneList = OlderDocument & { readonly ids: readonly string[] }

const olderNames = ['zones', 'system', 'zones.json', `zones.json${previousSuffix}`] as const

/** Whether there are older documents in a directory. */
export async function hasOlderDocuments({ files, directory }: Place): Promise<boolean> {
  const names = await files.list(directory)
  return olderNames.some(name => names.includes(name))
}

/** Reads all of them. Where one cannot be read its `.prev` stands in.
 *  @param manifest undefined where it is lost; all of the log is to be read then, from behind `firstLsn` */
export async function loadOlderDocuments(
  place: Place,
  {
    manifest,
    firstLsn,
    onDamage,
  }: {
    readonly manifest: AnyManifest | undefined
    readonly firstLsn: number
    readonly onDamage: OnDamage
  },
) {
  const known = (manifest as OlderManifest | undefined) ?? (await withoutManifest(place, firstLsn))
  const loader = new Loader(place, onDamage)
  for (const collection of known.collections) await loader.loadSystem(collection)
  await loader.loadZones()
  if (known._lsn > 0) await loader.loadZoneList()
  const { healed, missingZones, rows } = loader
  return {
    rows,
    afterLsn: healed.length > 0 ? known.previousLsn : known._lsn,
    heldLsn: Math.max(known._lsn, loader.lastLsn),
    atMicros: known.atMicros,
    healed,
    missingZones,
    agedDocuments: healed.map(({ file }) => file),
    lostByZone: new Map<string, number>(),
  }
}

async function withoutManifest({ files, directory }: Place, lsn: number): Promise<OlderManifest> {
  const names = await files.list(join(directory, 'system'))
  const collections = collectionNames.filter(name => names.includes(`${name}.json`))
  return { format: 1, _lsn: lsn, previousLsn: lsn, atMicros: 0, collections }
}

/** What older files are called when nobody reads them any more. */
const asideSuffix = '.format-2'

/** Gives older documents, and the manifest that named them, names under which nobody reads them. Can be interrupted and
 *  done again. */
export async function setOlderDocumentsAside({ files, directory }: Place): Promise<void> {
  const names = await files.list(directory)
  const previous = basename(manifestPath(directory)) + previousSuffix
  for (const name of [...olderNames, previous]) {
    const path = join(directory, name)
    if (names.includes(name)) await files.rename(path, path + asideSuffix)
  }
  await files.syncDirectory(directory)
}

class Loader {
  readonly #place: Place
  readonly #onDamage: OnDamage
  readonly rows = new LoadedRows()
  readonly healed: Defect[] = []
  readonly missingZones: { readonly id: string; readonly path: string }[] = []
  lastLsn = 0

  constructor(place: Place, onDamage: OnDamage) {
    this.#place = place
    this.#onDamage = onDamage
  }

  async loadSystem(collection: CollectionName): Promise<void> {
    const path = join(this.#place.directory, 'system', `${collection}.json`)
    const document = await this.#read<SystemDocument>(path)
    for (const row of document?.rows ?? []) this.rows.put(collection, row as never)
  }

  async loadZones(): Promise<void> {
    const root = join(this.#place.directory, 'zones')
    for (const fan of await this.#place.files.list(root)) {
      const names = await this.#place.files.list(join(root, fan))
      const zones = names.flatMap(name => /^(.+)\.json(?:\.prev)?$/.exec(name)?.[1] ?? [])
      for (const id of new Set(zones)) await this.#loadZone(join(root, fan, id))
    }
  }

  async loadZoneList(): Promise<void> {
    const { directory } = this.#place
    const list = await this.#read<ZoneList>(join(directory, 'zones.json'))
    for (const id of list?.ids ?? []) {
      const path = join(directory, 'zones', id.slice(0, 2), `${id}.json`)
      if (this.rows.get('zones', id) === undefined) this.missingZones.push({ id, path })
    }
  }

  async #loadZone(path: string): Promise<void> {
    const document = await this.#read<ZoneDocument>(`${path}.json`)
    if (document === undefined) return
    this.rows.put('zones', document.zone)
    this.#take(document)
    for (const { number } of document.shards) {
      const shard = join(`${path}.d`, `${String(number).padStart(6, '0')}.json`)
      this.#take(await this.#read<RecordsetsDocument>(shard))
    }
  }

  #take(document: RecordsetsDocument | undefined): void {
    for (const row of document?.recordsets ?? []) this.rows.put('recordsets', row)
  }

  async #read<T extends OlderDocument>(path: string): Promise<T | undefined> {
    const { files } = this.#place
    let problem = 'it is missing'
    for (const each of [path, path + previousSuffix]) {
      try {
        const document = await readDocument<T>(files, each)
        if (document === undefined) continue
        if (each !== path) this.healed.push({ file: path, problem })
        this.lastLsn = Math.max(this.lastLsn, document._lsn)
        return document
      } catch (error) {
        problem = problemOf(error)
      }
    }
    this.#onDamage(path, problem)
    return undefined
  }
}
