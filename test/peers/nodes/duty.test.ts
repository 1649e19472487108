import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import t, { type Test } from 'tap'
import { type Clock, systemClock } from '../../../src/clock.ts'
import { Engine } from '../../../src/store/shared/engine.ts'
import { ensureSchema, locks } from '../../../src/store/shared/schema.ts'
import { SharedCluster } from '../../../src/store/shared/shared-cluster.ts'
import { Postgres } from '../../helpers/postgres.ts'
import { Relay } from '../../helpers/relay.ts'
import { until } from '../../helpers/until.ts'

const program = new URL('../../helpers/duty-process.ts', import.meta.url)

async function startServer(t: Test): Promise<Postgres> {
  const server = await Postgres.start()
  t.teardown(() => server.close())
  const engine = new Engine({ urls: [server.url], node: 'test', acceptsLoss: true })
  await engine.use(ensureSchema)
  await engine.close()
  return server
}

type NodeOptions = { readonly clock?: Clock; readonly isHeldUp?: () => boolean }

function openNode(
  t: Test,
  { url }: Postgres,
  node: string,
  { clock = systemClock, isHeldUp = () => false }: NodeOptions = {},
) {
  const engine = new Engine({ urls: [url], node, acceptsLoss: true })
  const problems: unknown[] = []
  const misfits: string[] = []
  const cluster = new SharedCluster({
    engine,
    url: `http://${node}`,
    clock,
    onMisfit: problem => misfits.push(problem),
    isHeldUp,
    own: () => ({
      version: '1',
      settings: 's',
      lsn: 7,
      link: Buffer.from('ab', 'hex'),
      isCopyBehind: false,
    }),
    onProblem: error => problems.push(error),
  })
  const close = async () => {
    await cluster.close()
    await engine.close()
  }
  t.teardown(close)
  cluster.start()
  return { cluster, close, problems, misfits }
}

t.test('one node has the duty, and another takes it when that one goes or is cut off', async t => {
  const server = await startServer(t)
  const nodes = ['one', 'two', 'three'].map(name => openNode(t, server, name))
  const holders = () => nodes.filter(({ cluster }) => cluster.duty.isHeld)
  const [first] = await until(holders, found => found.length > 0)
  if (first === undefined) throw new Error('nobody has the duty')
  t.equal(first.cluster.duty.epoch, 1)
  const terms: AbortSignal[] = []
  first.cluster.duty.whenHeld(lost => terms.push(lost))
  await first.close()
  t.equal(terms[0]?.aborted, true)
  const [second] = await until(holders, found => found.length > 0)
  t.not(second, first)
  t.equal(second?.cluster.duty.epoch, 2)
  const sessions = `application_name = 'zonewright ${second?.cluster.node} duty'`
  await server.psql(`select pg_terminate_backend(pid) from pg_stat_activity where ${sessions}`)
  const [third] = await until(holders, found => found.some(({ cluster }) => cluster.duty.epoch > 2))
  t.equal(third?.cluster.duty.epoch, 3)
  t.equal(holders().length, 1)
  t.not(second?.problems.length, 0)
})

t.test('nodes know each other, and pass on what they want transferred', async t => {
  const server = await startServer(t)
  const one = openNode(t, server, 'one')
  await until(() => one.cluster.duty.isHeld)
  const two = openNode(t, server, 'two')
  const heeded: string[] = []
  one.cluster.handleTransfers((zoneId, reason) => heeded.push(`${zoneId} ${reason}`))
  two.cluster.handleTransfers(() => t.fail('it has no duty'))
  for (const other of ['x', 'null', '{}', '{"reason":"wanted","zone":7}', '{"reason":"moved"}'])
    await server.psql(`select pg_notify('zw_notify', '${other}')`)
  two.cluster.wantTransfer('z1', 'notified')
  two.cluster.wantTransfer('z2', 'wanted')
  two.cluster.wantTransfer('z2', 'notified')
  two.cluster.wantTransfer('z3', 'wanted')
  two.cluster.wantTransfer('z3', 'whole')
  two.cluster.wantTransfer('z3', 'wanted')
  await until(() => heeded.length === 3)
  t.strictSame(heeded.toSorted(), ['z1 notified', 'z2 wanted', 'z3 whole'])

  const synced: string[] = []
  for (const { cluster } of [one, two])
    cluster.handleSyncs(zoneId => synced.push(`${cluster.node} ${zoneId}`))
  one.cluster.passOnSync('z3')
  two.cluster.passOnSync()
  await until(() => synced.length === 2)
  t.strictSame(synced.toSorted(), ['one undefined', 'two z3'], 'at all but the one that says so')

  for (const { cluster } of [one, two]) await until(() => cluster.nodes().length === 2)
  t.equal(two.cluster.nodeCount, 2)
  t.match(two.cluster.nodes(), [
    { name: 'one', url: 'http://one', lsn: 7, link: 'ab', hasDuty: true, isLive: true },
    { name: 'two', settings: 's', version: '1', hasDuty: false, meteredUntil: null },
  ])
  t.equal(one.cluster.isGone('two'), false)
  t.equal(one.cluster.isGone('three'), true)
  t.equal(one.cluster.isGone(undefined), true, 'what a server has begun that was alone')
  t.equal(await one.cluster.remove('two'), 'live')
  t.equal(await one.cluster.remove('three'), 'unknown')

  await two.close()
  await server.psql(`update zw_node set seen_at = now() - interval '61 s' where node = 'two'`)
  await until(() => one.cluster.nodeCount === 1)
  t.equal(one.cluster.isGone('two'), true)
  t.equal(await one.cluster.remove('two'), undefined)
  t.equal(one.cluster.nodes().length, 1)
})

t.test('what a node passes on when its session is lost is passed on by the next one', async t => {
  const server = await startServer(t)
  const relay = await Relay.start(server.port)
  t.teardown(() => relay.close())
  const one = openNode(t, server, 'one')
  await until(() => one.cluster.duty.isHeld)
  const two = openNode(t, { url: relay.urlOf(server.url) } as Postgres, 'two')
  await until(() => two.cluster.nodes().length === 2)
  const synced: unknown[] = []
  one.cluster.handleSyncs(zoneId => synced.push(zoneId))
  const { held } = relay.holdBack('z1')
  two.cluster.passOnSync('z1')
  await held
  await until(() => synced.length > 0)
  t.strictSame(synced, ['z1'])
})

t.test('what a node wants before any has the duty comes to itself when it takes it', async t => {
  const { cluster } = openNode(t, await startServer(t), 'one')
  const heeded: string[] = []
  cluster.handleTransfers((zoneId, reason) => heeded.push(`${zoneId} ${reason}`))
  cluster.wantTransfer('z1', 'whole')
  await until(() => heeded.length > 0)
  t.strictSame(heeded, ['z1 whole'])
})

for (const how of ['SIGKILL', 'SIGSTOP'] as const)
  t.test(`the duty of a process goes over to another at ${how}`, async t => {
    const server = await startServer(t)
    const start = (node: string) => {
      const child = fork(program, [server.url, node])
      t.teardown(() => child.kill('SIGKILL'))
      return child
    }
    const holder = start('one')
    t.strictSame(await message(holder), { epoch: 1 })
    const other = start('two')
    const taken = message(other)
    holder.kill(how)
    t.strictSame(await taken, { epoch: 2 })
    if (how === 'SIGKILL') return
    const lost = message(holder)
    holder.kill('SIGCONT')
    t.strictSame(await lost, { lost: true }, 'it sees so as soon as it runs')
  })

async function message(child: ChildProcess): Promise<unknown> {
  const [received] = await once(child, 'message')
  return received
}

t.test('a clock that is not that of PostgreSQL is noticed, by all', async t => {
  const server = await startServer(t)
  const ahead = { nowMillis: () => Date.now() + 3_600_000 }
  const [late, sound] = [
    openNode(t, server, 'late', { clock: ahead }),
    openNode(t, server, 'sound'),
  ]
  const [seen] = await until(
    () => sound.cluster.nodes().filter(({ name }) => name === 'late'),
    found => found.length > 0,
  )
  t.ok(Math.abs((seen?.clockAheadSeconds ?? 0) - 3600) < 60, `${seen?.clockAheadSeconds} s`)
  t.match(late.misfits, [
    /^the clock of this node is 3[56]\d\d\.?\d* s ahead .*no changes and no duty/,
  ])
  t.match(seen?.problem, /^the clock of this node is/)
  t.same(sound.misfits, [])
  await until(() => sound.cluster.duty.isHeld)
  t.equal(late.cluster.duty.isHeld, false)
})

t.test('with a clock that is a minute off a node has no duty', async t => {
  const server = await startServer(t)
  // An answer that takes long makes the difference look smaller.
  let aheadMillis = -80_000
  const node = openNode(t, server, 'one', {
    clock: { nowMillis: () => Date.now() + aheadMillis },
  })
  // It looks at the nodes after it might have taken the duty.
  await until(() => node.cluster.nodes().length === 1)
  t.equal(node.cluster.duty.isHeld, false)
  t.match(node.misfits[0], /is [678]\d\S* s behind that of PostgreSQL: it takes no changes/)
  aheadMillis = -50_000
  await until(() => node.cluster.duty.isHeld)
  t.ok(node.misfits.some(text => /^the clock .* is [345]\d\S* s behind that of \w+$/.test(text)))
  aheadMillis = 80_000
  await until(() => !node.cluster.duty.isHeld)
  aheadMillis = 0
  await until(() => node.cluster.duty.isHeld)
  t.ok(node.cluster.duty.epoch >= 2)
})

t.test(
  'of two servers with one name one takes part, and the other says why it does not',
  async t => {
    const server = await startServer(t)
    const first = openNode(t, server, 'twin')
    await until(() => first.cluster.duty.isHeld)
    // While changes wait, the other one may be an earlier session of its own.
    let heldUpTimes = 2
    const isHeldUp = () => heldUpTimes-- > 0
    const second = openNode(t, server, 'twin', { isHeldUp })
    await until(() => second.misfits.length > 0)
    t.equal(heldUpTimes, -1)
    t.match(second.misfits, [/another server runs as the node twin/])
    t.equal(second.cluster.duty.isHeld, false)
    await first.close()
    await until(() => second.cluster.duty.isHeld)
    t.equal(second.misfits.length, 1, 'it is said once')
  },
)

t.test('who may see what nodes store is named, and what a session may prevent it does', async t => {
  const server = await startServer(t)
  await server.psql(
    'create role zw login; create role app login; grant all on database postgres to zw',
  )
  await server.psql('alter schema public owner to zw')
  for (const table of ['head', 'log', 'row', 'node', 'duty', 'usage', 'file'])
    await server.psql(`alter table zw_${table} owner to zw`)
  await server.psql(`alter system set log_min_duration_statement = '1s'; `)
  await server.psql('select pg_reload_conf()')
  const own = { url: server.url.replace('postgres@', 'zw@') } as Postgres
  const misfits = async (node: string) => {
    const { cluster, misfits } = openNode(t, own, node)
    await until(() => cluster.nodes().some(({ name }) => name === node))
    return misfits
  }
  await until(async () => (await server.psql('show log_min_duration_statement')) === '1s')
  t.match(await misfits('one'), [
    /values of statements .*"alter role zw set log_parameter_max_length = 0"; .*\(app\).*"revoke connect on database postgres from public"/,
  ])
  await server.psql('alter role zw set log_parameter_max_length = 0')
  await server.psql('revoke connect on database postgres from public')
  t.same(await misfits('two'), [])
})

t.test('a node says where it is reached as soon as it listens', async t => {
  const server = await startServer(t)
  const node = openNode(t, server, 'one')
  const url = () => node.cluster.nodes()[0]?.url
  t.equal(await until(url), 'http://one')
  node.cluster.reachedAt('http://127.0.0.1:12345')
  await until(() => url() !== 'http://one')
  t.equal(url(), 'http://127.0.0.1:12345')
})

t.test('a turn whose node has stopped in the middle of a message is ended', async t => {
  const server = await startServer(t)
  const { cluster } = openNode(t, server, 'one')
  await until(() => cluster.duty.isHeld)
  const socket = createConnection(server.port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  const message = (type: string, body: string) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(length.length + body.length)
    return Buffer.concat([Buffer.from(type), length, Buffer.from(body, 'latin1')])
  }
  socket.write(message('', '\0\x03\0\0user\0postgres\0database\0postgres\0\0'))
  socket.write(message('Q', `begin; select pg_advisory_xact_lock(${locks.turn})\0`))
  socket.write(message('P', '\0select 1\0\0\0'))
  socket.write(message('B', 'the beginning of a message').subarray(0, 9))
  socket.resume()
  await once(socket, 'close')
  t.ok(cluster.duty.isHeld)
})
