import { dirname } from 'node:path'
import { DamageError } from '../../durable/damage.ts'
import type { FileSystem } from '../../durable/file-system.ts'
import { frameOf, readFrames } from '../../durable/frame.ts'
import { LogFile } from '../../durable/log-file.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'

/** An append-only file of records. What was appended at once stands in one frame: after a crash it is there as a
 *  whole or, as the torn end of the file, not at all. */
export class Journal {
  readonly #file: LogFile

  private constructor(file: LogFile) {
    this.#file = file
  }

  /** Opens a journal behind its first octets, or a new one; what follows them is cut off. The cut and the name are
   *  durable then: once there is a later journal, this one may not have a torn end. */
  static async open(files: FileSystem, path: string, lengthOctets: number): Promise<Journal> {
    const file = await LogFile.open(files, path, lengthOctets)
    try {
      await files.syncDirectory(dirname(path))
      return new Journal(file)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Octets so far. */
  get length(): number {
    return this.#file.lengthOctets
  }

  /** Appends records and makes them durable. Throws what `LogFile` does. */
  append(records: readonly Buffer[]): Promise<void> {
    return this.#file.append(frameOf(encodeRecords(records)))
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** What a journal holds. */
export type JournalContents = {
  readonly records: readonly Buffer[]
  /** Octets that hold them: what follows is the torn end of a write that was not acknowledged. */
  readonly lengthOctets: number
}

/** Reads a journal, none where there is none, and changes nothing.
 *  @throws DamageError there is damage before the end */
export async function readJournal(files: FileSystem, path: string): Promise<JournalContents> {
  const octets = (await files.read(path)) ?? Buffer.alloc(0)
  const { payloads, lengthOctets, laterAt } = readFrames(octets)
  if (laterAt !== undefined) {
    const problem = `it is damaged from octet ${lengthOctets} to ${laterAt}`
    throw new DamageError(path, { problem })
  }
  return { records: payloads.flatMap(decodeRecords), lengthOctets }
}

/** The records of a journal that is no longer written to, so it has no torn end.
 *  @throws DamageError */
export async function readClosedJournal(
  files: FileSystem,
  path: string,
): Promise<readonly Buffer[]> {
  const { records, lengthOctets } = await readJournal(files, path)
  if (lengthOctets === (await files.size(path))) return records
  throw new DamageError(path, { problem: `it is damaged at octet ${lengthOctets}` })
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
