import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { request, type ServerResponse } from 'node:http'
import t from 'tap'
import { testAdminToken } from '../../helpers/api.ts'
import { memoryLog } from '../../helpers/log.ts'
import { startRatingApi } from '../../helpers/rating-api.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'
import { usage } from '../../helpers/usage.ts'

/** A disk that holds back the first file that is opened to be read. */
class HoldingDisk extends SimulatedDisk {
  readonly reading = Promise.withResolvers<void>()
  readonly released = Promise.withResolvers<void>()
  openedCount = 0

  override async openToRead(path: string) {
    this.openedCount += 1
    this.reading.resolve()
    await this.released.promise
    return super.openToRead(path)
  }
}

for (const path of [
  '/v2/summary',
  '/v2/invoices/p1/2026-11',
  '/v2/dataframes',
  '/v2/dataframes/export',
  '/rating/v1/report/total?tenant_id=p1',
  '/rating/v1/storage/dataframes?tenant_id=p1',
])
  t.test(`nothing more is read for ${path} when its client has left`, async t => {
    const files = new HoldingDisk()
    const log = memoryLog('error')
    const { api, services } = await startRatingApi(t, { files, logger: log.logger })
    const { points } = services
    for (const day of ['01', '02', '03']) {
      await points.write({ origin: 'pushed', points: [usage(`2026-11-${day}`, 'p1', '1')] })
      await points.flush()
    }
    const isOver = Promise.withResolvers<void>()
    const take = points.snapshot.bind(points)
    points.snapshot = range => {
      const snapshot = take(range)
      const dispose = snapshot[Symbol.asyncDispose].bind(snapshot)
      snapshot[Symbol.asyncDispose] = () => dispose().finally(isOver.resolve)
      return snapshot
    }
    const isLeft = Promise.withResolvers<unknown>()
    const note = (message: unknown) =>
      isLeft.resolve(once((message as { response: ServerResponse }).response, 'close'))
    subscribe('http.server.request.start', note)
    const asked = request(api.url + path, { headers: { 'x-auth-token': testAdminToken } }).end()
    asked.on('error', () => undefined)
    await files.reading.promise
    asked.destroy()
    await isLeft.promise
    unsubscribe('http.server.request.start', note)
    files.released.resolve()
    await isOver.promise
    t.equal(files.openedCount, 1)
    await api.close()
    t.equal(log.text(), '')
  })
