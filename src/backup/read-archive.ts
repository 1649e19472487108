import { createHash, type Hash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { OperatorError } from '../operator-error.ts'
import { blockOctets, decodeTarHeader, paddingOf, type TarEntry } from './tar.ts'
import { type ArchiveInfo, archiveFormat, infoName, sumsName } from './write-archive.ts'

/** An archive cannot be read as a backup. */
export class ArchiveError extends OperatorError {}

/** Takes a file of an archive, in pieces that are read as they are asked for: all of them, or none if the file is of no interest. */
type TakeFile = (name: string, pieces: AsyncIterable<Buffer>) => Promise<void>

/** For verifying an archive without keeping its files. */
export const skipFile: TakeFile = async () => undefined

/** What an archive held. */
export type ReadArchive = {
  readonly info: ArchiveInfo
  readonly fileCount: number
  /** Of its files. */
  readonly octets: number
}

/** Files that the program itself writes are far smaller. */
const maxOwnOctets = 16 * 2 ** 20
const maxFiles = 100_000
const safeName = /^(?!.*(?:^|\/)\.)[\w.-]+(?:\/[\w.-]+)*$/

/** Reads an archive from first octet to last and verifies every file against its sum. What was taken is valid only when this
 *  resolves.
 *  @param take called for each file of the data directory
 *  @throws ArchiveError it is damaged, cut off, from a later version, or no backup */
export async function readArchive(
  source: AsyncIterable<Uint8Array>,
  take: TakeFile,
): Promise<ReadArchive> {
  const octets = new OctetReader(source)
  const sums = new Map<string, string>()
  let info: ArchiveInfo | undefined
  let total = 0
  for (;;) {
    const entry = await nextEntry(octets, sums)
    if (entry.name === sumsName) {
      requireSums(await ownText(octets, entry), sums)
      break
    }
    if (info === undefined) {
      if (entry.name !== infoName) throw new ArchiveError(`it does not begin with ${infoName}`)
      const hash = createHash('sha256')
      info = parseInfo(await ownText(octets, entry, hash))
      sums.set(entry.name, hash.digest('hex'))
      continue
    }
    sums.set(entry.name, await readFile(octets, entry, take))
    total += entry.octets
  }
  if (info === undefined) throw new ArchiveError('it is empty')
  await requireEnd(octets)
  return { info, fileCount: sums.size - 1, octets: total }
}

async function nextEntry(
  octets: OctetReader,
  known: ReadonlyMap<string, string>,
): Promise<TarEntry> {
  const { at } = octets
  const entry = decodeTarHeader(await octets.take(blockOctets))
  if (entry === undefined)
    throw new ArchiveError(
      at === 0
        ? 'it is no tar archive; one that is compressed has to be decompressed first'
        : `there is no file at octet ${at}`,
    )
  const { name } = entry
  if (!safeName.test(name)) throw new ArchiveError(`it has a file named ${JSON.stringify(name)}`)
  if (known.has(name)) throw new ArchiveError(`it has ${name} twice`)
  if (known.size >= maxFiles) throw new ArchiveError(`it has more than ${maxFiles} files`)
  return entry
}

async function readFile(octets: OctetReader, entry: TarEntry, take: TakeFile): Promise<string> {
  const hash = createHash('sha256')
  const pieces = octets.pieces(entry.octets, hash)
  await take(entry.name, pieces)
  for await (const _ of pieces);
  await octets.take(paddingOf(entry.octets))
  return hash.digest('hex')
}

async function ownText(octets: OctetReader, entry: TarEntry, hash?: Hash): Promise<string> {
  if (entry.octets > maxOwnOctets) throw new ArchiveError(`${entry.name} is too long`)
  const content = await octets.take(entry.octets, hash)
  await octets.take(paddingOf(entry.octets))
  return content.toString()
}

function parseInfo(text: string): ArchiveInfo {
  let info: Partial<ArchiveInfo>
  try {
    info = JSON.parse(text)
  } catch {
    throw new ArchiveError(`${infoName} is no JSON`)
  }
  const { format, version } = info
  if (format === archiveFormat) return info as ArchiveInfo
  const maker = Number(format) > archiveFormat ? `it was made by a later version, ${version}: ` : ''
  throw new ArchiveError(`${maker}it has format ${format}, and this version reads ${archiveFormat}`)
}

function requireSums(text: string, found: ReadonlyMap<string, string>): void {
  const expected = new Map(
    text
      .split('\n')
      .filter(line => line !== '')
      .map(line => [line.slice(66), line.slice(0, 64)]),
  )
  for (const [name, sum] of found) {
    if (expected.get(name) !== sum) throw new ArchiveError(`${name} is not as it was written`)
  }
  for (const name of expected.keys()) {
    if (!found.has(name)) throw new ArchiveError(`${name} is missing`)
  }
}

async function requireEnd(octets: OctetReader): Promise<void> {
  const end = await octets.take(2 * blockOctets)
  if (end.some(octet => octet !== 0) || !(await octets.isAtEnd()))
    throw new ArchiveError(`there is more after ${sumsName}`)
}

/** Reads a given number of octets at a time from a stream. */
class OctetReader {
  readonly #source: AsyncIterator<Uint8Array>
  #piece: Buffer = Buffer.alloc(0)
  /** Octets taken. */
  at = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** @throws ArchiveError there are fewer */
  take(octets: number, hash?: Hash): Promise<Buffer> {
    return buffer(this.pieces(octets, hash))
  }

  /** So many octets, as they come.
   *  @throws ArchiveError there are fewer */
  async *pieces(octets: number, hash?: Hash): AsyncGenerator<Buffer> {
    for (let left = octets; left > 0; ) {
      const piece = await this.#takeSome(left)
      hash?.update(piece)
      left -= piece.length
      yield piece
    }
  }

  /** At least one octet. @throws ArchiveError there are none */
  async #takeSome(atMost: number): Promise<Buffer> {
    if (await this.isAtEnd()) throw new ArchiveError(`it ends early, after octet ${this.at}`)
    const taken = this.#piece.subarray(0, atMost)
    this.#piece = this.#piece.subarray(taken.length)
    this.at += taken.length
    return taken
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#piece.length === 0) {
      const next = await this.#source.next()
      if (next.done === true) return true
      const { buffer, byteOffset, byteLength } = next.value
      this.#piece = Buffer.from(buffer, byteOffset, byteLength)
    }
    return false
  }
}
