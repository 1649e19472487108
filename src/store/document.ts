import { crc32 } from 'node:zlib'
import { type Adapter, Low } from 'lowdb'
import { checksum, checksumText } from '../durable/checksum.ts'
import type { FileSystem } from '../durable/file-system.ts'
import { writeNewFile } from '../durable/replace-file.ts'
import { TimeSlice } from '../time-slice.ts'

// A document is one JSON file, read and written through lowdb with an adapter that guarantees what its users assume: a file is
// written once and never changed, is on the disk when the write resolves, is verified to be whole when it is read, and does not
// delay other work however many rows it has.

/** The members of a document in order; a list has one line per item. */
export type Document = Readonly<Record<string, unknown>>

/** Reads a document; undefined if there is no file. @throws Error it is not as it was written. */
export async function readDocument<T extends Document>(
  files: FileSystem,
  path: string,
): Promise<T | undefined> {
  const low = new Low<T | null>(new SealedJson<T>(files, path) as Adapter<T | null>, null)
  await low.read()
  return low.data ?? undefined
}

/** A document as it was written. */
export type WrittenDocument = { readonly octetCount: number; readonly checksum: string }

/** Writes a document through lowdb, as a new file. Its name is durable once the directory is synced. */
export async function writeDocument<T extends Document>(
  files: FileSystem,
  path: string,
  document: T,
): Promise<WrittenDocument> {
  const adapter = new SealedJson<T>(files, path)
  await new Low<T>(adapter, document).write()
  const { octetCount, checksum } = adapter
  return { octetCount, checksum }
}

/** lowdb's adapter for one durable document. */
class SealedJson<T extends Document> implements Adapter<T> {
  readonly #files: FileSystem
  readonly #path: string
  /** Of the last write. */
  octetCount = 0
  checksum = ''

  constructor(files: FileSystem, path: string) {
    this.#files = files
    this.#path = path
  }

  async read(): Promise<T | null> {
    const octets = await this.#files.read(this.#path)
    return octets === undefined ? null : parseDocument<T>(octets)
  }

  async write(document: T): Promise<void> {
    const slice = new TimeSlice()
    await writeNewFile(this.#files, this.#path, async file => {
      const pieces = formatDocument(document)
      let piece = pieces.next()
      for (; piece.done !== true; piece = pieces.next()) {
        await file.append(piece.value)
        this.octetCount += piece.value.length
        if (slice.isSpent) await slice.yield()
      }
      this.checksum = piece.value
    })
  }
}

/** Characters formatted in one go. */
const pieceLength = 1 << 14

/** Formats a document as JSON: a member a line, and in a list an item a line, so that two generations can be compared by
 *  line and a row is found whole by searching for anything in it. Its last member, which is returned too, is the checksum of
 *  everything before it. */
export function* formatDocument(document: Document): Generator<Buffer, string> {
  let crc = 0
  let text = ''
  const takePiece = (): Buffer => {
    const octets = Buffer.from(text)
    crc = crc32(octets, crc)
    text = ''
    return octets
  }
  for (const line of linesOf(document)) {
    text += line
    if (text.length >= pieceLength) yield takePiece()
  }
  yield takePiece()
  const sum = checksumText(crc)
  yield Buffer.from(`,\n  "_crc": "${sum}"\n}\n`)
  return sum
}

function* linesOf(document: Document): Generator<string> {
  let before = '{\n'
  for (const [name, value] of Object.entries(document)) {
    yield `${before}  ${JSON.stringify(name)}: `
    before = ',\n'
    if (Array.isArray(value) && value.length > 0) {
      let separator = '['
      for (const item of value) {
        yield `${separator}\n    ${JSON.stringify(item)}`
        separator = ','
      }
      yield '\n  ]'
    } else yield JSON.stringify(value)
  }
}

const sealPattern = /^,\n {2}"_crc": "([0-9a-f]{8})"\n\}\n$/
const sealOctets = ',\n  "_crc": "00000000"\n}\n'.length

/** Parses what `formatDocument` has made. @throws Error it is not as it was written */
export function parseDocument<T extends Document>(octets: Buffer): T {
  const bodyOctets = Math.max(0, octets.length - sealOctets)
  const [, crc] = sealPattern.exec(octets.toString('latin1', bodyOctets)) ?? []
  if (crc === undefined) throw new Error('its end is missing')
  if (checksum(octets.subarray(0, bodyOctets)) !== crc) throw new Error('its checksum does not fit')
  return JSON.parse(octets.toString('utf8')) as T
}
