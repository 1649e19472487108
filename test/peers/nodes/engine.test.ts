import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Engine } from '../../../src/store/shared/engine.ts'
import { EngineUnavailableError, EngineUnfitError } from '../../../src/store/shared/errors.ts'
import { ensureSchema } from '../../../src/store/shared/schema.ts'
import { Postgres } from '../../helpers/postgres.ts'
import { until } from '../../helpers/until.ts'

t.test('a server without a synchronous standby is refused, unless loss is accepted', async t => {
  const server = await Postgres.start()
  t.teardown(() => server.close())
  const urls = [server.url]
  const engine = new Engine({ urls, node: 'one' })
  await t.rejects(engine.connect({ purpose: 'log' }), {
    name: EngineUnfitError.name,
    message: /synchronous_standby_names is empty/,
  })
  const lossy = new Engine({ urls, node: 'one', acceptsLoss: true })
  const connection = await lossy.connect({ purpose: 'log' })
  t.equal(connection.server.timeline, 1)
  await connection.close()
  t.ok(connection.isOver)
})

t.test('the password of a file is used where the URL has none', async t => {
  const server = await Postgres.start()
  t.teardown(() => server.close())
  const password = 'a%41:@/ #?é'
  await server.psql(`create role zw superuser login password '${password}'`)
  const hba = join(server.data, 'pg_hba.conf')
  const asked = 'host all zw 127.0.0.1/32 scram-sha-256\n'
  writeFileSync(hba, asked + readFileSync(hba, 'utf8'))
  await server.psql('select pg_reload_conf()')
  const url = server.url.replace('postgres@', 'zw@')
  const own = server.url.replace('postgres@', `zw:${encodeURIComponent(password)}@`)
  const connect = (options: { urls: readonly string[]; password?: string }) =>
    new Engine({ ...options, node: 'one', acceptsLoss: true }).connect({ purpose: 'log' })
  await until(() =>
    connect({ urls: [url] }).then(
      connection => connection.close().then(() => false),
      () => true,
    ),
  )
  await t.rejects(connect({ urls: [url], password: 'another' }), /password/)
  for (const options of [
    { urls: [url], password },
    { urls: [own], password: 'another' },
  ])
    await (await connect(options)).close()
})

t.test('the server that takes writes is found, before and after a failover', async t => {
  const primary = await Postgres.startPair()
  t.teardown(() => primary.close())
  const [standby] = primary.standbys
  if (standby === undefined) throw new Error('there is no standby')
  const engine = new Engine({ urls: [standby.url, primary.url], node: 'one', acceptsLoss: true })
  t.teardown(() => engine.close())
  const before = await engine.connect({ purpose: 'log' })
  t.equal(before.server.address, `127.0.0.1:${primary.port}`)
  await ensureSchema(before)
  await ensureSchema(before)
  await primary.kill()
  t.ok((await before.ended) instanceof Error)
  await t.rejects(engine.connect({ purpose: 'log' }), { name: EngineUnavailableError.name })
  await standby.promote()
  const after = await engine.connect({ purpose: 'log' })
  t.match(after.server, { address: `127.0.0.1:${standby.port}`, timeline: 2 })
  const { rows } = await after.query('select lsn::int from zw_head')
  t.same(rows, [{ lsn: 0 }])
  await primary.restart()
  // A busy machine may keep one of them from answering in time.
  const again = await until(
    () => engine.connect({ purpose: 'log' }),
    found => found.server.timeline === 2,
  )
  t.equal(again.server.address, after.server.address, 'of two, the one that was promoted')
  await Promise.all([after.close(), again.close()])
})

t.test('a server is no longer used once one that was promoted later is known', async t => {
  const old = await Postgres.start()
  t.teardown(() => old.close())
  const later = await old.standby()
  const options = { urls: [old.url, later.url], node: 'one', acceptsLoss: true, lookEveryMs: 100 }
  const engine = new Engine(options)
  t.teardown(() => engine.close())
  const timelineOf = () => engine.use(async ({ server }) => server.timeline)
  t.equal(await timelineOf(), 1)
  await later.promote()
  t.equal(await until(timelineOf, found => found !== 1), 2, 'although the old one lives on')
  await later.stop()
  await t.rejects(engine.connect({ purpose: 'log' }), {
    name: EngineUnavailableError.name,
    message: /promoted in its place/,
  })
  await later.restart()
  t.equal(await timelineOf(), 2)
})

t.test('two nodes make the tables at once; a silent server is given up', async t => {
  const server = await Postgres.start()
  t.teardown(() => server.close())
  const engine = new Engine({ urls: [server.url], node: 'one', acceptsLoss: true })
  const connections = await Promise.all([1, 2, 3].map(() => engine.connect({ purpose: 'log' })))
  await Promise.all(connections.map(ensureSchema))
  const [connection] = connections
  const counted = await connection?.query('select count(*)::int as count from zw_duty')
  t.same(counted?.rows, [{ count: 1 }])
  server.freeze()
  await t.rejects(async () => connection?.query('select 1', [], 300), {
    message: /silent for 300 ms/,
  })
  t.ok(connection?.isOver)
  server.thaw()
})

t.test('a server that still answers is not silent, except to the duty', async t => {
  const server = await Postgres.start()
  t.teardown(() => server.close())
  const engine = new Engine({ urls: [server.url], node: 'one', acceptsLoss: true })
  const patient = { purpose: 'log', patienceMs: 2000 }
  const connection = await engine.connect(patient)
  t.teardown(() => connection.close())
  const slowly = `select pg_sleep(0.3), repeat('x', 10000) from generate_series(1, 10)`
  t.equal((await connection.query(slowly)).rowCount, 10)
  const together = connection.together(() =>
    Array.from({ length: 10 }, () => connection.query('select pg_sleep(0.3)')),
  )
  t.equal((await Promise.all(together)).length, 10)
  const silent = { message: /silent for 2000 ms/ }
  await t.rejects(connection.query('select pg_sleep(60)'), silent)
  const duty = await engine.connect({ ...patient, idleMs: 30_000 })
  t.teardown(() => duty.close())
  await t.rejects(duty.query(slowly), silent)
})
