import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import type { AppendableFile, Disk } from './disk.ts'
import { DamagedFileError, frameHeader, frameHeaderLength, readFrames } from './frame.ts'

/** An append-only file of records. What was appended at once stands in one frame: after a crash it is there as a
 *  whole or, as the torn end of the file, not at all. */
export class Journal {
  readonly #file: AppendableFile
  #length: number

  private constructor(file: AppendableFile, length: number) {
    this.#file = file
    this.#length = length
  }

  /** Opens a journal, new or as it was left; a torn end is cut off. Its name is durable then.
   *  @throws DamagedFileError there is damage before the end */
  static async open(
    disk: Disk,
    folder: string,
    name: string,
  ): Promise<{ journal: Journal; records: readonly Buffer[] }> {
    const { records, length, fileLength } = await readJournal(disk, `${folder}/${name}`)
    const file = await disk.openToAppend(`${folder}/${name}`, length)
    // The cut must last: once there is a later journal, this one may not have a torn end.
    if (length < fileLength) await file.sync()
    await disk.syncFolder(folder)
    return { journal: new Journal(file, length), records }
  }

  /** Octets so far. */
  get length(): number {
    return this.#length
  }

  /** Appends records and makes them durable. */
  async append(records: readonly Buffer[]): Promise<void> {
    const payload = encodeRecords(records)
    await this.#file.append([frameHeader(payload), payload])
    await this.#file.sync()
    this.#length += frameHeaderLength + payload.length
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** The records of a journal that is no longer written to, so it has no torn end. */
export async function readClosedJournal(disk: Disk, path: string): Promise<readonly Buffer[]> {
  const { records, length, fileLength } = await readJournal(disk, path)
  if (length < fileLength) throw new DamagedFileError(`${path} is damaged at octet ${length}`)
  return records
}

async function readJournal(disk: Disk, path: string) {
  const bytes = (await disk.readFile(path)) ?? Buffer.alloc(0)
  try {
    const { payloads, length } = readFrames(bytes)
    return { records: payloads.flatMap(decodeRecords), length, fileLength: bytes.length }
  } catch (error) {
    throw new DamagedFileError(`${path} cannot be read`, { cause: error })
  }
}

function encodeRecords(records: readonly Buffer[]): Buffer {
  const writer = new ByteWriter()
  writer.varint(records.length)
  for (const record of records) {
    writer.varint(record.length)
    writer.append(record)
  }
  return writer.bytes
}

function decodeRecords(payload: Buffer): readonly Buffer[] {
  const reader = new ByteReader(payload)
  return Array.from({ length: reader.varint() }, () => reader.take(reader.varint()))
}
