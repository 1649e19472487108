import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { findTableSnapshot, TableSnapshotWriter } from '../../src/publish/table-snapshots.ts'
import { fakeClock } from '../helpers/clock.ts'
import { memoryLog } from '../helpers/log.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

const large = { image: new Uint8Array(new SharedArrayBuffer(2 ** 20)) }
const snapshotOf = (directory: string) => join(directory, 'stand-in.table')

t.test('a snapshot is finished only if the store has not changed since it was written', async t => {
  const dataDir = serverFolder(t)
  const server = await startWholeServer(t, { dataDirectory: dataDir, clock: fakeClock() })
  await server.app.close()
  const { logger } = memoryLog('warn')
  const writer = new TableSnapshotWriter({ dataDir, clock: fakeClock(), logger })
  const store = { lastLsn: 5 }
  await writer.write()
  await writer.finish()
  writer.begin({ store, table: large, zones: { ref: 7 } })
  await writer.write()
  store.lastLsn = 6
  await writer.finish()
  t.notOk(existsSync(snapshotOf(dataDir)) || existsSync(`${snapshotOf(dataDir)}.tmp`))
  await writer.write()
  await writer.finish()
  t.ok(existsSync(snapshotOf(dataDir)))
})

t.test('a snapshot that cannot be written or read is logged, and stops nothing', async t => {
  const dataDir = serverFolder(t)
  await mkdir(snapshotOf(dataDir))
  const { logger, lines } = memoryLog('warn')
  const parts = { dataDir, clock: fakeClock(), logger }
  const writer = new TableSnapshotWriter(parts)
  writer.begin({ store: { lastLsn: 1 }, table: large, zones: { ref: 7 } })
  await writer.write()
  await writer.finish()
  t.match(lines(), [{ msg: /next start/ }])
  t.equal(await findTableSnapshot(parts), undefined)
  t.match(lines().at(-1), { msg: /cannot be read/ })
})
