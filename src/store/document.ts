import { type Adapter, Low } from 'lowdb'
import { checksum } from '../durable/checksum.ts'
import type { FileSystem } from '../durable/file-system.ts'
import { previousSuffix, replaceFile } from '../durable/replace-file.ts'

// A document is one JSON file, read and written through lowdb with an adapter that lives up to what its users
// assume: the file is replaced at once, is on the disk when the write resolves, is known to be whole when it is
// read, and the one before is kept.

/** What every document says of itself. */
export type Document = {
  /** Every change of its rows up to this one is in it. */
  readonly _lsn: number
}

/** What was found in a document's place: `problem` where neither generation can be read; where there is none
 *  of them, neither. */
export type FoundDocument<T extends Document> = {
  readonly document: T | null
  readonly isPrevious: boolean
  readonly problem: string | undefined
}

/** Reads a document; where it cannot be read, the generation before it. */
export async function readDocument<T extends Document>(
  files: FileSystem,
  path: string,
): Promise<FoundDocument<T>> {
  const current = await tryRead<T>(files, path)
  if (current.document !== null) return { ...current, isPrevious: false }
  const previous = await tryRead<T>(files, path + previousSuffix)
  if (previous.document !== null) return { ...previous, isPrevious: true }
  return { document: null, isPrevious: false, problem: current.problem ?? previous.problem }
}

async function tryRead<T extends Document>(files: FileSystem, path: string) {
  try {
    const low = new Low<T | null>(new DurableJson<T>(files, path) as Adapter<T | null>, null)
    await low.read()
    return { document: low.data, problem: undefined }
  } catch (error) {
    return { document: null, problem: `it cannot be read (${(error as Error).message})` }
  }
}

/** Writes a document through lowdb; returns its octets. */
export async function writeDocument<T extends Document>(
  files: FileSystem,
  path: string,
  document: T,
): Promise<number> {
  const adapter = new DurableJson<T>(files, path)
  await new Low<T>(adapter, document).write()
  return adapter.octetCount
}

/** lowdb's adapter for one durable document. */
class DurableJson<T extends Document> implements Adapter<T> {
  readonly #files: FileSystem
  readonly #path: string
  /** Octets of the last write. */
  octetCount = 0

  constructor(files: FileSystem, path: string) {
    this.#files = files
    this.#path = path
  }

  /** Returns null where there is no file. @throws Error it is not as it was written. */
  async read(): Promise<T | null> {
    const octets = await this.#files.read(this.#path)
    return octets === undefined ? null : (JSON.parse(unseal(octets)) as T)
  }

  /** Resolves when the octets are on the disk. The directory's names are synced by the checkpoint, once for
   *  all documents in it. */
  async write(document: T): Promise<void> {
    const octets = seal(formatDocument(document))
    await replaceFile(this.#files, this.#path, octets, { keepsPrevious: true })
    this.octetCount = octets.length
  }
}

/** Formats a document as JSON: a member a line, and in a list of rows a row a line, so that two generations can
 *  be compared by line and a row is found whole by searching for anything in it. */
function formatDocument(document: Document): string {
  const members = Object.entries(document).map(([name, value]) => {
    const isList = Array.isArray(value) && value.length > 0
    return `  ${JSON.stringify(name)}: ${isList ? formatList(value) : JSON.stringify(value)}`
  })
  return `{\n${members.join(',\n')}\n}`
}

function formatList(items: readonly unknown[]): string {
  return `[\n    ${items.map(item => JSON.stringify(item)).join(',\n    ')}\n  ]`
}

const sealPattern = /^,\n {2}"_crc": "([0-9a-f]{8})"\n\}\n$/
const sealOctets = ',\n  "_crc": "00000000"\n}\n'.length

/** Adds a last member: the checksum of all in front of it. */
function seal(json: string): Buffer {
  const body = json.slice(0, -'\n}'.length)
  return Buffer.from(`${body},\n  "_crc": "${checksum(body)}"\n}\n`)
}

function unseal(octets: Buffer): string {
  const bodyOctets = Math.max(0, octets.length - sealOctets)
  const [, crc] = sealPattern.exec(octets.toString('latin1', bodyOctets)) ?? []
  if (crc === undefined) throw new Error('its end is missing')
  if (checksum(octets.subarray(0, bodyOctets)) !== crc) throw new Error('its checksum does not fit')
  return octets.toString('utf8')
}
