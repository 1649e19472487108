import { createHash } from 'node:crypto'
import { blockOctets, encodeTarHeader, paddingOf } from './tar.ts'

/** The description of an archive, in `infoName`. */
export type ArchiveInfo = {
  readonly format: 1
  /** The version of the program that wrote it. */
  readonly version: string
  /** When it was begun, ISO 8601. */
  readonly at: string
}

export const archiveFormat = 1
/** The first file of an archive. */
export const infoName = 'backup.json'
/** The last file, as `sha256sum -c` reads it: an archive without it is incomplete. */
export const sumsName = 'SHA256SUMS'

/** A file that goes into an archive. */
export type ArchivedFile = {
  readonly name: string
  readonly octets: number
  /** @throws RangeError it ends before */
  read(from: number, lengthOctets: number): Promise<Buffer>
}

const pieceOctets = 256 * 1024

/** The octets of an archive: a tar with the files and their sums. Holds one piece of a file in memory at a time. */
export async function* writeArchive(
  info: ArchiveInfo,
  files: Iterable<ArchivedFile>,
): AsyncGenerator<Buffer> {
  const atSeconds = Math.floor(Date.parse(info.at) / 1000)
  const sums: string[] = []
  const infoFile = fileOf(infoName, Buffer.from(`${JSON.stringify(info)}\n`))
  for (const file of [infoFile, ...files]) {
    const hash = createHash('sha256')
    yield encodeTarHeader(file, atSeconds)
    for await (const piece of piecesOf(file)) {
      hash.update(piece)
      yield piece
    }
    yield Buffer.alloc(paddingOf(file.octets))
    sums.push(`${hash.digest('hex')}  ${file.name}\n`)
  }
  const text = Buffer.from(sums.join(''))
  yield encodeTarHeader({ name: sumsName, octets: text.length }, atSeconds)
  yield text
  yield Buffer.alloc(paddingOf(text.length) + 2 * blockOctets)
}

/** A file whose content is in memory. */
export function fileOf(name: string, content: Buffer): ArchivedFile {
  return {
    name,
    octets: content.length,
    read: async (from, lengthOctets) => content.subarray(from, from + lengthOctets),
  }
}

async function* piecesOf(file: ArchivedFile): AsyncGenerator<Buffer> {
  for (let from = 0; from < file.octets; from += pieceOctets)
    yield await file.read(from, Math.min(pieceOctets, file.octets - from))
}
