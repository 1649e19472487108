import { Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import { type Route, route } from '../route.ts'

/** The source of a backup. */
export type BackupSource = {
  /** The octets of an archive of the present state. */
  archive(): AsyncIterable<Uint8Array>
  /** The archives being read. */
  readonly runningCount: number
}

/** Each keeps files open, and so the disk space of those that were removed since. */
const maxRunning = 3

/** All stored data as one archive, including all secrets. */
export function backupRoute(backups: BackupSource): Route {
  return route('GET /backup', {
    rule: 'make_backup',
    summary: 'Streams all that is stored, as of now, as a tar archive',
    answers: { 200: Type.String() },
    refusals: ['too_many_requests'],
    produces: 'application/x-tar',
    async handler() {
      if (backups.runningCount >= maxRunning)
        throw new ApiError('too_many_requests', `${maxRunning} backups are being made`, {
          retryAfterSeconds: 60,
        })
      return {
        status: 200,
        headers: {
          'content-type': 'application/x-tar',
          'content-disposition': 'attachment; filename="zonewright.tar"',
        },
        stream: () => backups.archive(),
      }
    },
  })
}
