import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError } from '../config/config-error.ts'

/** What a person has to mend in the settings or the file system. A full or read-only disk is not among it where
 *  the directory exists: what is there can still be answered from. */
const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is no directory',
  // Also what Node.js says of a full or read-only disk when it makes several directories at once.
  ENOENT: 'it does not exist and cannot be made',
  ENOTDIR: 'part of its path is no directory',
  ELOOP: 'its symbolic links go in circles',
  ENAMETOOLONG: 'its path is too long',
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
}

/** Makes sure that the store has a directory to live in; it is created for its owner only.
 *  @throws ConfigError the setting names something that cannot be one */
export function requireDataDirectory(directory: string): void {
  try {
    makeDirectory(directory)
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const reason = reasons[code]
    if (reason === undefined) return
    throw new ConfigError(`ZONEWRIGHT_DATA_DIR cannot be ${directory}: ${reason}`, { cause })
  }
}

/** Makes a directory and those above it. Node.js has an option for this, which never returns where a parent exists and
 *  takes no directories, as in /proc. */
function makeDirectory(directory: string): void {
  if (isDirectory(directory)) return
  const parent = dirname(directory)
  if (parent !== directory) makeDirectory(parent)
  mkdirSync(directory, { mode: 0o700 })
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Where the administrator's password is after the first start, if it was made up. */
export function passwordFileIn(directory: string): string {
  return join(directory, 'initial-admin-password')
}

/** Keeps a made-up password for its owner only, on the disk when this returns. Returns what takes it back. */
export function keepPassword(directory: string, password: string): () => void {
  const file = passwordFileIn(directory)
  // One that a start left behind which got no further may be readable to others.
  rmSync(file, { force: true })
  writeFileSync(file, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true })
  return () => rmSync(file, { force: true })
}

/** The password that a first start made up, for those who may read its file. */
export function keptPassword(directory: string): string | undefined {
  try {
    return readFileSync(passwordFileIn(directory), 'utf8').trim()
  } catch {
    return undefined
  }
}
