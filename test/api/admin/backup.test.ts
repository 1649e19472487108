import t from 'tap'
import { backupRoute } from '../../../src/api/admin/backup.ts'
import { plain } from '../../../src/api/dialect.ts'
import { Backups } from '../../../src/backup/backups.ts'
import { type FileSystem, realFiles } from '../../../src/durable/file-system.ts'
import { startApi } from '../../helpers/api.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { until } from '../../helpers/until.ts'

t.test('three backups are made at a time, however many are asked for at once', async t => {
  const directory = t.testdir({ file: 'contents' })
  const held = Promise.withResolvers<void>()
  let openedCount = 0
  const files: FileSystem = {
    ...realFiles,
    async openToRead(path) {
      openedCount += 1
      await held.promise
      return realFiles.openToRead(path)
    },
  }
  const parts = [{ capture: () => [{ path: `${directory}/file` }] }]
  const options = { directory, parts, clock: fakeClock(), version: 'test', files }
  const backups = new Backups(options)
  const { admin } = await startApi(t, {
    mounts: () => [{ base: '/admin', dialect: plain, routes: [backupRoute(backups)] }],
  })
  let refusedCount = 0
  const asked = Array.from({ length: 8 }, async () => {
    const { status } = await admin.get('/admin/backup')
    if (status === 429) refusedCount += 1
    return status
  })
  await until(() => openedCount + refusedCount === 8)
  t.equal(openedCount, 3)
  held.resolve()
  t.same((await Promise.all(asked)).sort(), [200, 200, 200, 429, 429, 429, 429, 429])
  t.equal(backups.runningCount, 0)
  t.equal((await admin.get('/admin/backup')).status, 200)
})
