import { Backups } from '../backup/backups.ts'
import { ScheduledBackups } from '../backup/scheduled.ts'
import type { CapturedFiles } from '../durable/captured-file.ts'
import { realFiles } from '../durable/file-system.ts'
import { version } from '../version.ts'
import { keptPassword, passwordFileIn } from './data-directory.ts'
import type { AppOptions } from './options.ts'

// The composition root's part for backups.

/** Backups of the whole data directory, on request and, if set, scheduled. */
export function openBackups(
  { config, clock }: Pick<AppOptions, 'config' | 'clock'>,
  parts: readonly CapturedFiles[],
): { readonly backups: Backups; readonly scheduledBackups: ScheduledBackups | undefined } {
  const { dataDir: directory, backup } = config
  const all = [...parts, firstPassword(directory)]
  const backups = new Backups({ directory, parts: all, clock, version })
  const scheduledBackups =
    backup && new ScheduledBackups({ ...backup, backups, clock, files: realFiles })
  return { backups, scheduledBackups }
}

/** The file of the password that a first start generated. */
function firstPassword(directory: string): CapturedFiles {
  return {
    capture() {
      const password = keptPassword(directory)
      if (password === undefined) return []
      return [{ path: passwordFileIn(directory), content: Buffer.from(`${password}\n`) }]
    },
  }
}
