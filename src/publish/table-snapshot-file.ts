import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { tableFormat } from '../zone/table/layout.ts'

// A file with the memory of a zone table: a line of JSON in front, filled up to `headOctets`, then the memory. It is
// of use for one start and never the only place of anything, so it need not survive a loss of power: what does not
// fit its checksum is not used.

const headOctets = 4096
/** Node writes and reads no more at a time than 2 GiB; and between two pieces nothing has to be kept. */
const pieceOctets = 2 ** 24

/** What the snapshot is of. */
export type TableSnapshotHead = {
  /** Which of the table's targets was answered from. */
  readonly target: number
  /** Of the store, as it was. */
  readonly stamp: string
  /** When the memory was written. */
  readonly atMillis: number
}

type WholeHead = TableSnapshotHead & {
  readonly format: number
  readonly octets: number
  readonly crc: number
}

/** A file that has the memory and no head yet: it can be read only once it is finished. */
export class UnfinishedTableSnapshot {
  readonly #path: string
  readonly #descriptor: number
  readonly #octets: number
  readonly #crc: number

  /** Writes all of the memory before it returns, so that it is of one moment.
   *  @throws Error the file cannot be written, or not in time; nothing is left of it then */
  constructor(path: string, image: Uint8Array, { maxMillis }: { readonly maxMillis: number }) {
    this.#path = path
    this.#octets = image.length
    this.#descriptor = openSync(path + temporarySuffix, 'w', 0o600)
    try {
      this.#crc = writeAll(this.#descriptor, image, performance.now() + maxMillis)
    } catch (error) {
      this.discard()
      throw error
    }
  }

  /** @throws Error the file cannot be written; nothing is left of it then */
  finish(head: TableSnapshotHead): void {
    const whole: WholeHead = {
      ...head,
      format: tableFormat,
      octets: this.#octets,
      crc: this.#crc,
    }
    try {
      writeSync(this.#descriptor, `${JSON.stringify(whole)}\n`.padEnd(headOctets), 0, 'latin1')
      renameSync(this.#path + temporarySuffix, this.#path)
    } catch (error) {
      this.discard()
      throw error
    }
    closeSync(this.#descriptor)
  }

  discard(): void {
    closeSync(this.#descriptor)
    rmSync(this.#path + temporarySuffix, { force: true })
  }
}

const temporarySuffix = '.tmp'

/** Removes what there is of the file, finished or not. */
export async function removeTableSnapshot(path: string): Promise<void> {
  await rm(path, { force: true })
  await rm(path + temporarySuffix, { force: true })
}

/** Reads the memory of a table that `isWanted` by its head; undefined where there is none, or none that is whole. */
export async function readTableSnapshot(
  path: string,
  isWanted: (head: TableSnapshotHead) => boolean,
): Promise<{ readonly memory: SharedArrayBuffer; readonly target: number } | undefined> {
  const file = await openIfThere(path)
  if (file === undefined) return undefined
  try {
    const head = await readHead(file)
    if (head?.format !== tableFormat || !isWanted(head)) return undefined
    if ((await file.stat()).size !== headOctets + head.octets) return undefined
    const memory = new SharedArrayBuffer(head.octets)
    const crc = await readAll(file, new Uint8Array(memory))
    return crc === head.crc ? { memory, target: head.target } : undefined
  } finally {
    await file.close()
  }
}

async function readHead(file: FileHandle): Promise<WholeHead | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headOctets), 0, headOctets, 0)
  try {
    return JSON.parse(buffer.toString('latin1', 0, bytesRead)) as WholeHead
  } catch {
    return undefined
  }
}

/** Returns the CRC-32 of what was read. */
async function readAll(file: FileHandle, octets: Uint8Array): Promise<number> {
  let crc = 0
  for (let at = 0; at < octets.length; ) {
    const wanted = Math.min(pieceOctets, octets.length - at)
    const { bytesRead } = await file.read(octets, at, wanted, headOctets + at)
    if (bytesRead === 0) break
    crc = crc32(octets.subarray(at, at + bytesRead), crc)
    at += bytesRead
  }
  return crc
}

/** Returns the CRC-32 of what was written. */
function writeAll(descriptor: number, octets: Uint8Array, untilMs: number): number {
  let crc = 0
  for (let at = 0; at < octets.length; ) {
    if (performance.now() > untilMs) throw new Error('it takes too long to write the zone table')
    const wanted = Math.min(pieceOctets, octets.length - at)
    const written = writeSync(descriptor, octets, at, wanted, headOctets + at)
    crc = crc32(octets.subarray(at, at + written), crc)
    at += written
  }
  return crc
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
