import { once } from 'node:events'
import { rm, stat } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { OperatorError } from '../operator-error.ts'

// One process at a time. A socket stops answering when the process that listens on it ends, however it ends, so a lock is never
// stale. There are two: an abstract socket (Linux), which only one process can have, and a file in the directory, which is also
// visible to containers that share the directory but not the network.

/** Another process has the data directory open. */
export class StoreLockedError extends OperatorError {
  constructor(directory: string) {
    super(
      `the data directory ${directory} is in use by another process: stop that one first, or set ZONEWRIGHT_DATA_DIR to another directory`,
    )
  }
}

type Unlock = () => Promise<void>

/** Locks a directory for this process; returns a function that unlocks it.
 *  @throws StoreLockedError */
export async function lockDirectory(directory: string): Promise<Unlock> {
  const unlockName = process.platform === 'linux' ? await lockName(directory) : undefined
  try {
    const unlockFile = await lockFile(directory)
    return async () => {
      await unlockFile?.()
      await unlockName?.()
    }
  } catch (error) {
    await unlockName?.()
    throw error
  }
}

async function lockName(directory: string): Promise<Unlock> {
  // By device and inode, so that two spellings of a path are one lock.
  const { dev, ino } = await stat(directory)
  return unlockOf(await listenOn(`\0zonewright-${dev}-${ino}`, directory))
}

/** Undefined if the file system, its state or the length of the path does not allow sockets. */
async function lockFile(directory: string): Promise<Unlock | undefined> {
  const path = join(directory, 'lock')
  if (await isAnswered(path)) throw new StoreLockedError(directory)
  try {
    // No process listens, so the one that created it has ended without removing it.
    await rm(path, { force: true })
    return unlockOf(await listenOn(path, directory))
  } catch (error) {
    if (error instanceof StoreLockedError || process.platform !== 'linux') throw error
    return undefined
  }
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function listenOn(name: string, directory: string): Promise<Server> {
  const server = createServer(socket => socket.destroy()).listen(name)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new StoreLockedError(directory) : error
  })
  return server.unref()
}

function unlockOf(server: Server): Unlock {
  return () => new Promise(resolve => server.close(() => resolve()))
}
