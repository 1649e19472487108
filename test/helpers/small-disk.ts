import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { serverFolder } from './server-folder.ts'

/** Whether this machine lets us mount a file system. */
export const mounts =
  process.platform === 'linux' &&
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

/** A directory that is a small file system.
 *  @throws Error it cannot be mounted */
export function smallDisk(t: Test, mebibytes: number): string {
  const directory = serverFolder(t)
  const options = `size=${mebibytes}m,mode=0755`
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory])
  if (status !== 0) throw new Error(String(stderr))
  t.teardown(() => spawnSync('umount', ['-l', directory]))
  return directory
}

/** Writes until there is no room. */
export function fill(directory: string): void {
  const descriptor = openSync(join(directory, 'filler'), 'a')
  try {
    for (const octets of [65_536, 4096, 1])
      try {
        for (;;) writeSync(descriptor, Buffer.alloc(octets, 1))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
  } finally {
    closeSync(descriptor)
  }
}

export function makeRoom(directory: string): void {
  rmSync(join(directory, 'filler'))
}
