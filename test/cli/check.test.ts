import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkAsJson, checkData, describeCheck, isClean } from '../../src/cli/check.ts'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { PointStore } from '../../src/rating/segments/point-store.ts'
import { usageFolders } from '../../src/rating/usage-repair.ts'
import { openLowdbStore } from '../../src/store/lowdb-store.ts'
import type { Transaction } from '../../src/store/store.ts'
import { addresses, callerOf, openDns, primary, secondary } from '../helpers/dns.ts'

const caller = callerOf('one')

function configOf(environment: Record<string, string> = {}): Config {
  return loadConfig({ environment, argv: [], readFile: path => readFileSync(path, 'utf8') })
}

/** A directory that a server has written and closed, with a change besides that no server would make. */
async function writtenDirectory(t: Test, damage?: (tx: Transaction, zoneId: string) => void) {
  const directory = t.testdir()
  const clock = { nowMillis: () => 1_800_000_000_000 }
  const store = await openLowdbStore({ directory, clock })
  const dns = await openDns({ store })
  t.teardown(() => dns.servers.close())
  const zone = await dns.zones.create(caller, primary('example.com.'))
  await dns.recordsets.create(caller, zone.id, addresses('www.example.com.'))
  await dns.zones.create(caller, secondary('copy.example.'))
  const attributes = { listen: '127.0.0.1:0' }
  const nsRecords = [{ hostname: 'ns1.example.net.', priority: 1 }]
  const own = { name: 'own', description: null, projectId: null, provisioner: null }
  const pool = await dns.pools.create({ ...own, attributes, nsRecords })
  const inPool = primary('own.example.', { attributes: { pool_id: pool.id } })
  await dns.zones.create(callerOf('one', 'admin'), inPool)
  if (damage !== undefined) await store.commit(tx => damage(tx, zone.id))
  await store.close()
  return directory
}

t.test('what a server has written agrees, and nothing of it is changed', async t => {
  const directory = await writtenDirectory(t)
  const files = () => readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()
  const before = files()
  const outcome = await checkData(configOf(), directory)
  t.ok(isClean(outcome), describeCheck(outcome))
  t.equal(
    describeCheck(outcome),
    'Compared: zones 3, recordsets 5, rows 8, names in answers 3\nDifferences: none',
  )
  t.same(files(), before)
  t.match(checkAsJson(outcome), { is_consistent: true, counts: { zones: 3 }, server: null })
})

t.test('each difference is a line with its place and a remedy', async t => {
  const directory = await writtenDirectory(t, (tx, zoneId) => {
    const [row] = tx.list('recordsets', 'byZone', zoneId)
    if (row === undefined) throw new Error('no recordset')
    const alias = { type: 'CNAME', name: 'www.example.com.', records: ['example.net.'] }
    tx.put('recordsets', { ...row, ...alias, id: 'alias', isManaged: false })
    const stamp = { version: 1, createdAt: tx.atMicros, updatedAt: null }
    tx.put('zoneShares', { ...stamp, id: 'share', zoneId: 'nowhere', targetProjectId: 'two' })
  })
  const outcome = await checkData(configOf(), directory)
  t.notOk(isClean(outcome))
  const [dangling = '', unsound = '', , count] = describeCheck(outcome).split('\n')
  t.match(dangling, /^reference: zoneShares share: it names nowhere of zones, .*: restore the data/)
  t.match(
    unsound,
    /^recordset: zone example\.com\., www\.example\.com\. A, CNAME, .*Change or delete/,
  )
  t.equal(count, 'Differences: 2')
})

t.test('files of usage are read, too', async t => {
  const directory = await writtenDirectory(t)
  const points = await PointStore.open(join(directory, usageFolders.points))
  await points.close()
  writeFileSync(join(directory, usageFolders.points, 'manifest.json'), 'rubbish')
  const outcome = await checkData(configOf(), directory)
  t.notOk(isClean(outcome))
  t.match(describeCheck(outcome), /rating\/manifest\.json: its checksum does not fit.*store repair/)
  const [damaged] = (checkAsJson(outcome) as { damaged_files: { file: string }[] }).damaged_files
  t.match(damaged?.file, /rating\/manifest\.json/)
  t.match(checkAsJson(outcome), { is_consistent: false })
})

t.test('files that cannot be read are differences too', async t => {
  const directory = await writtenDirectory(t)
  const documents = join(directory, 'documents')
  const pools = readdirSync(documents).filter(name => name.startsWith('pools.'))
  for (const name of pools) writeFileSync(join(documents, name), '{')
  rmSync(join(directory, 'manifest.json.prev'))
  const outcome = await checkData(configOf(), directory)
  t.notOk(isClean(outcome))
  t.match(describeCheck(outcome), /pools\.\d+\.json: .*store repair --data-dir \//)
})

t.test('what the next start mends is a note, and no difference', async t => {
  const directory = await writtenDirectory(t)
  // A second generation: the first is left when a document of it is damaged.
  const store = await openLowdbStore({ directory, clock: { nowMillis: () => 0 } })
  const [pool] = [...store.rows('pools')]
  if (pool === undefined) throw new Error('no pool')
  await store.commit(tx => tx.put('pools', { ...pool, version: 9 }))
  await store.close()
  const points = join(directory, usageFolders.points)
  await (await PointStore.open(points)).close()
  const lastIn = (folder: string, start: string) => {
    const names = readdirSync(folder).filter(name => name.startsWith(start))
    return join(folder, names.sort().at(-1) ?? '')
  }
  writeFileSync(lastIn(join(directory, 'documents'), 'pools.'), '{')
  for (const folder of [directory, points])
    appendFileSync(lastIn(join(folder, 'journal'), '0'), 'torn')
  const outcome = await checkData(configOf(), directory)
  t.ok(isClean(outcome))
  const lines = describeCheck(outcome).split('\n')
  t.match(lines.slice(1), [
    /^Note: .*\/documents\/pools\.\d+\.json: it cannot be read .*The next start restores it/,
    /^Note: .*\/journal\/\d+\.log: its last 4 octets, .*The next start cuts them off$/,
    /^Note: .*\/rating\/journal\/\d+\.log: its last 4 octets, /,
    'Differences: none',
  ])
  t.match(checkAsJson(outcome), { is_consistent: true, mended_files: { length: 3 } })
})

t.test(
  'a directory without a store is refused, and so is one whose server cannot be asked',
  async t => {
    await t.rejects(checkData(configOf(), t.testdir()), { name: 'DamageError' })
    const directory = await writtenDirectory(t)
    const store = await openLowdbStore({ directory, clock: { nowMillis: () => 0 } })
    t.teardown(() => store.close())
    const rows: readonly [Record<string, string>, RegExp][] = [
      [{}, /set ZONEWRIGHT_ADMIN_TOKEN or ZONEWRIGHT_ADMIN_PASSWORD/],
      [{ ZONEWRIGHT_API_LISTEN: '127.0.0.1:0' }, /does not say at which port/],
      [await refusingServer(t), /does not check itself: the server answers 503/],
      [{ ...(await refusingServer(t)), ZONEWRIGHT_API_LISTEN: '127.0.0.1:1' }, /does not answer/],
    ]
    for (const [environment, message] of rows) {
      // Not where a server of this checkout has left its administrator's password.
      const asked = checkData(
        configOf({ ZONEWRIGHT_DATA_DIR: directory, ...environment }),
        directory,
      )
      await t.rejects(asked, { name: 'ServerUnavailableError', message })
    }
  },
)

/** Settings that name a server which answers 503. */
async function refusingServer(t: Test): Promise<Record<string, string>> {
  const server = createServer((_request, response) => response.writeHead(503).end('busy'))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { ZONEWRIGHT_API_LISTEN: `127.0.0.1:${port}`, ZONEWRIGHT_ADMIN_TOKEN: 'token' }
}
