import { constants, fstatSync, readlinkSync, write } from 'node:fs'
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises'
import { promisify } from 'node:util'

// The few file operations durability is built from, kept separate so that tests can lose unsynced data and fail any of them
// (test/helpers/simulated-disk.ts).

/** A file that is only ever appended to. */
export type AppendFile = {
  /** In a file opened with synced appends, resolves when the octets are on the disk, as after a sync.
   *  @throws SyncError, and what `sync` throws, with synced appends: the octets are in the file and may not be on the disk */
  append(octets: Uint8Array): Promise<void>
  /** Writes octets at a place in the file, its end at most, and resolves when they are on the disk. Only in a file opened with
   *  synced appends, where the disk takes less time for octets inside a file than behind its end.
   *  @throws SyncError, and what `sync` throws, as `append`, and for any failure if the file has not grown */
  writeAt?(octets: Uint8Array, at: number): Promise<void>
  /** Cuts the file off behind its first octets. */
  truncate(lengthOctets: number): Promise<void>
  /** Resolves when everything appended is on the disk (fdatasync), in a file that is still where it was: one removed meanwhile
   *  disappears with its last descriptor, even if it was synced, and one that was moved is not found again.
   *  @throws SyncError
   *  @throws Error it was removed or moved, alone or with its directory */
  sync(): Promise<void>
  size(): Promise<number>
  close(): Promise<void>
}

/** A file that is read in pieces. */
export type ReadableFile = {
  /** @throws RangeError the file ends before */
  read(from: number, lengthOctets: number): Promise<Buffer>
  size(): Promise<number>
  close(): Promise<void>
}

/** A file or a directory could not be synced. How much of it is on the disk is unknown, and a successful retry would not reveal
 *  it either, so the cause, which may be lack of room, is not examined. */
export class SyncError extends Error {
  override readonly name = 'SyncError'

  constructor(path: string, cause: unknown) {
    super(`${path} could not be synced`, { cause })
  }
}

export type FileSystem = {
  /** Creates a directory with its parents, for this user only; does nothing if it exists. */
  makeDirectory(path: string): Promise<void>
  /** The names in a directory, sorted; none if it does not exist. */
  list(directory: string): Promise<readonly string[]>
  /** A file's octets; undefined where it does not exist. */
  read(path: string): Promise<Buffer | undefined>
  /** Reads a piece of a file: at most `lengthOctets` from `from` on. Empty after its end or if it does not exist. */
  readPiece(path: string, from: number, lengthOctets: number): Promise<Buffer>
  /** A file's size in octets; 0 where it does not exist. */
  size(path: string): Promise<number>
  /** Opens for reading in pieces. @throws Error it does not exist */
  openToRead(path: string): Promise<ReadableFile>
  /** Opens for appending; a file that does not exist is created, for this user only.
   *  @param appends whether each is synced by itself, which takes one call of the system instead of two */
  open(path: string, appends?: 'synced'): Promise<AppendFile>
  /** Opens an empty file for appending, replacing any file of that name. */
  create(path: string): Promise<AppendFile>
  /** Replaces `to` atomically: at every instant one or the other exists. Not durable before the directory is synced. */
  rename(from: string, to: string): Promise<void>
  /** Gives a file a second name, taking the name from any file that had it; does nothing if the file does not exist. */
  link(path: string, secondPath: string): Promise<void>
  /** Removes a file, or a directory with its contents; does nothing if it does not exist. */
  remove(path: string): Promise<void>
  /** Removes an empty directory; does nothing if it does not exist or is not empty. */
  removeEmptyDirectory(path: string): Promise<void>
  /** Resolves when the names in a directory are on the disk; at once if it does not exist. @throws SyncError */
  syncDirectory(directory: string): Promise<void>
}

/** Where files are. */
export type Place = { readonly files: FileSystem; readonly directory: string }

const forWriting = constants.O_WRONLY | constants.O_CREAT
const forAppending = forWriting | constants.O_APPEND

/** The machine's files. */
export const realFiles: FileSystem = {
  async makeDirectory(path) {
    await mkdir(path, { recursive: true, mode: 0o700 })
  },
  list: async directory => (await unlessMissing(readdir(directory), [])).sort(),
  read: path => unlessMissing(readFile(path), undefined),
  async readPiece(path, from, lengthOctets) {
    const handle = await openIfThere(path)
    if (handle === undefined) return Buffer.alloc(0)
    try {
      const piece = Buffer.allocUnsafe(lengthOctets)
      const { bytesRead } = await handle.read(piece, 0, lengthOctets, from)
      return piece.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  },
  size: async path => (await unlessMissing(stat(path), undefined))?.size ?? 0,
  async openToRead(path) {
    return readableFile(await open(path, constants.O_RDONLY), path)
  },
  async open(path, appends) {
    if (appends !== 'synced') return appendFile(await open(path, forAppending, 0o600), path)
    return syncedAppendFile(await open(path, forWriting | constants.O_DSYNC, 0o600), path)
  },
  async create(path) {
    return appendFile(await open(path, forAppending | constants.O_TRUNC, 0o600), path)
  },
  rename,
  async link(path, secondPath) {
    try {
      await link(path, secondPath)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return
      // A directory in the place of a file cannot have two names.
      if (code === 'EPERM' && (await stat(path)).isDirectory()) return rename(path, secondPath)
      if (code !== 'EEXIST') throw error
      await rm(secondPath)
      await link(path, secondPath)
    }
  },
  async remove(path) {
    await rm(path, { recursive: true, force: true })
  },
  async removeEmptyDirectory(path) {
    await unlessMissing(rmdir(path), undefined).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY') throw error
    })
  },
  async syncDirectory(directory) {
    const handle = await openIfThere(directory)
    if (handle === undefined) return
    try {
      await handle.sync()
    } catch (error) {
      throw new SyncError(directory, error)
    } finally {
      await handle.close()
    }
  },
}

function openIfThere(path: string): Promise<FileHandle | undefined> {
  return unlessMissing(open(path, constants.O_RDONLY), undefined)
}

function readableFile(handle: FileHandle, path: string): ReadableFile {
  return {
    async read(from, lengthOctets) {
      const octets = Buffer.allocUnsafe(lengthOctets)
      const { bytesRead } = await handle.read(octets, 0, lengthOctets, from)
      if (bytesRead < lengthOctets)
        throw new RangeError(`${path} ends before octet ${from + lengthOctets}`)
      return octets
    },
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  }
}

function appendFile(handle: FileHandle, path: string): AppendFile {
  const name = nameOf(handle)
  return {
    async append(octets) {
      // A write may take fewer octets than it is given, for instance when the disk is nearly full.
      for (let at = 0; at < octets.length; ) {
        const { bytesWritten } = await handle.write(octets, at)
        at += bytesWritten
      }
    },
    truncate: lengthOctets => handle.truncate(lengthOctets),
    async sync() {
      await handle.datasync().catch(error => {
        throw new SyncError(path, error)
      })
      if (!isInPlace(handle, name)) throw removed(path)
    },
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  }
}

/** A write by a handle resolves through four more promises. The file must stay open meanwhile. */
const writeOctets = promisify(write)

/** @param handle opened with O_DSYNC: a write is a write and a sync of what it wrote */
function syncedAppendFile(handle: FileHandle, path: string): AppendFile {
  const name = nameOf(handle)
  // Kept: `fstat` has a price (`nameOf`).
  let { size } = fstatSync(handle.fd)
  const writeAt = async (octets: Uint8Array, from: number): Promise<void> => {
    const end = from + octets.length
    const sizeBefore = size
    let isThere = true
    for (let at = 0; at < octets.length; ) {
      const written = writeOctets(handle.fd, octets, at, octets.length - at, from + at)
      // Whether it was removed before, while the disk works.
      isThere &&= isInPlace(handle, name)
      const { bytesWritten } = await written.catch(error => {
        size = fstatSync(handle.fd).size
        // A write that fails itself leaves the file as long as it was.
        const isLonger = size > Math.max(sizeBefore, from + at)
        throw isLonger || end <= sizeBefore ? new SyncError(path, error) : error
      })
      at += bytesWritten
    }
    size = Math.max(size, end)
    if (!isThere) throw removed(path)
  }
  return {
    ...appendFile(handle, path),
    writeAt,
    append: octets => writeAt(octets, size),
    async truncate(lengthOctets) {
      await handle.truncate(lengthOctets)
      size = lengthOctets
    },
  }
}

/** A file whose appends are synced by themselves, of one whose appends are not. */
export function withSyncedAppends(file: AppendFile): AppendFile {
  return {
    ...file,
    async append(octets) {
      await file.append(octets)
      await file.sync()
    },
  }
}

/** Whether a file is where it was opened. What is appended to one that was moved, perhaps with the whole directory, is not found by
 *  the next start.
 *  @param name when it was opened */
function isInPlace(handle: FileHandle, name: string | undefined): boolean {
  const present = nameOf(handle)
  if (present === undefined || name === undefined) return fstatSync(handle.fd).nlink > 0
  return present === name && !present.endsWith(' (deleted)')
}

/** The present path of a file, in the words of the system; undefined where there is no /proc. Does not touch the disk. Nor does it
 *  ask for the file's times, as `fstat` does: then Linux (6.13) notes the time of the next write exactly, not to a tick of its clock,
 *  which may be one more write of the disk. */
function nameOf({ fd }: FileHandle): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return undefined
  }
}

function removed(path: string): Error {
  return new Error(`${path} was removed or moved while in use`)
}

/** Waits for what is done with a file, which may not exist. */
async function unlessMissing<T, E>(work: Promise<T>, empty: E): Promise<T | E> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return empty
    throw error
  }
}
