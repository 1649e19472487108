import { accessSync, constants, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError } from '../config/config-error.ts'
import type { Place } from '../durable/file-system.ts'
import { replaceFile } from '../durable/replace-file.ts'

/** Problems that a person has to fix in the settings or the file system. A full or read-only disk is none where the directory
 *  exists: the stored zones can still be served. */
const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is no directory',
  // Node.js also reports this for a full or read-only disk when it makes several directories at once.
  ENOENT: 'it does not exist and cannot be made',
  ENOTDIR: 'part of its path is no directory',
  ELOOP: 'its symbolic links go in circles',
  ENAMETOOLONG: 'its path is too long',
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
}

/** Ensures that the store has its directory; it is created for its owner only.
 *  @throws ConfigError the setting names something that cannot be a directory */
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

/** Makes a directory and its parents. The option of Node.js for this never returns where a parent exists but accepts no
 *  directories, as in /proc. */
function makeDirectory(directory: string): void {
  if (isDirectory(directory)) return
  const parent = dirname(directory)
  if (parent !== directory) makeDirectory(parent)
  mkdirSync(directory, { mode: 0o700 })
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** The file of the administrator's password after the first start, if it was generated. */
export function passwordFileIn(directory: string): string {
  return join(directory, 'initial-admin-password')
}

/** Stores a generated password, readable for its owner only; durable when it resolves. Returns a function that removes it. */
export async function keepPassword(
  { files, directory }: Place,
  password: string,
): Promise<() => Promise<void>> {
  const file = passwordFileIn(directory)
  await replaceFile(files, file, Buffer.from(`${password}\n`))
  await files.syncDirectory(directory)
  return () => files.remove(file)
}

/** The password that a first start generated, for users who may read its file. */
export function keptPassword(directory: string): string | undefined {
  try {
    return readFileSync(passwordFileIn(directory), 'utf8').trim()
  } catch {
    return undefined
  }
}
