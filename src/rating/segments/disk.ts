import * as fs from 'node:fs/promises'

/** The few operations the store does on files; a test puts a failing disk in their place. */
export type Disk = {
  makeFolder(path: string): Promise<void>
  /** Names in a folder, sorted; none where there is no such folder. */
  listFolder(path: string): Promise<readonly string[]>
  /** The whole file, or undefined where there is none. */
  readFile(path: string): Promise<Buffer | undefined>
  openToRead(path: string): Promise<ReadableFile>
  /** Opens a file to append to, cut to the given length; creates it where there is none. */
  openToAppend(path: string, length: number): Promise<AppendableFile>
  rename(from: string, to: string): Promise<void>
  removeFile(path: string): Promise<void>
  /** Removes a folder if it is empty. */
  removeFolder(path: string): Promise<void>
  /** Makes the names in a folder durable. */
  syncFolder(path: string): Promise<void>
}

export type ReadableFile = {
  /** @throws RangeError the file ends before */
  read(at: number, length: number): Promise<Buffer>
  size(): Promise<number>
  close(): Promise<void>
}

export type AppendableFile = {
  append(parts: readonly Uint8Array[]): Promise<void>
  /** Makes everything appended durable. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** The machine's disk. Folders are made 0700 and files 0600: usage and prices are nobody else's business. */
export const systemDisk: Disk = {
  async makeFolder(path) {
    await fs.mkdir(path, { recursive: true, mode: 0o700 })
  },
  async listFolder(path) {
    const names = await fs.readdir(path).catch(ifMissing<string[]>([]))
    return names.sort()
  },
  readFile: path => fs.readFile(path).catch(ifMissing(undefined)),
  async openToRead(path) {
    const handle = await fs.open(path, 'r')
    return {
      async read(at, length) {
        const buffer = Buffer.allocUnsafe(length)
        const { bytesRead } = await handle.read(buffer, 0, length, at)
        if (bytesRead < length) throw new RangeError(`${path} ends before octet ${at + length}`)
        return buffer
      },
      size: async () => (await handle.stat()).size,
      close: () => handle.close(),
    }
  },
  async openToAppend(path, length) {
    const handle = await fs.open(path, fs.constants.O_CREAT | fs.constants.O_RDWR, 0o600)
    await handle.truncate(length)
    let at = length
    return {
      async append(parts) {
        for (const part of parts) {
          // A write may be cut short; the rest then tells why.
          for (let done = 0; done < part.length; ) {
            const { bytesWritten } = await handle.write(part, done, part.length - done, at)
            done += bytesWritten
            at += bytesWritten
          }
        }
      },
      sync: () => handle.datasync(),
      close: () => handle.close(),
    }
  },
  rename: (from, to) => fs.rename(from, to),
  removeFile: path => fs.rm(path, { force: true }),
  async removeFolder(path) {
    await fs.rmdir(path).catch(ifCode('ENOTEMPTY', 'ENOENT'))
  },
  async syncFolder(path) {
    const handle = await fs.open(path, 'r')
    await handle.sync().finally(() => handle.close())
  },
}

function ifMissing<T>(value: T): (error: unknown) => T {
  return error => {
    ifCode('ENOENT')(error)
    return value
  }
}

function ifCode(...codes: readonly string[]): (error: unknown) => void {
  return error => {
    if (!(error instanceof Error && 'code' in error && codes.includes(String(error.code))))
      throw error
  }
}
