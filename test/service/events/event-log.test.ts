import { setImmediate as nextImmediate } from 'node:timers/promises'
import t from 'tap'
import { EventLog, type Followed } from '../../../src/service/events/event-log.ts'
import type { Commit, PastCommit, Store } from '../../../src/store/store.ts'
import { type EventStore, openEventStore } from '../../helpers/event-store.ts'
import { heldTimers } from '../../helpers/held-timers.ts'

type Opened = { readonly opened: EventStore; readonly log: EventLog }

type Past = (afterLsn: number) => AsyncIterable<PastCommit> | Iterable<PastCommit>

/** A log over a store with a history of commits from before it was opened. */
function openLog(past: Past = () => []): Opened {
  let log: EventLog | undefined
  const opened = openEventStore(commit => log?.publish(commit))
  const store: Pick<Store, 'history' | 'lastLsn'> = {
    get lastLsn() {
      return opened.store.lastLsn
    },
    async *history(afterLsn) {
      yield* past(afterLsn)
    },
  }
  log = new EventLog({ store, keptCount: 10_000 })
  return { opened, log }
}

/** A log that was opened when its store had commits already, of which the journal has kept some. */
async function reopenedLog(
  change: (opened: EventStore) => Promise<unknown>,
  isKept: (commit: Commit) => boolean = () => true,
  keptCount = 10_000,
): Promise<Opened> {
  const opened = openEventStore()
  await change(opened)
  const store: Pick<Store, 'history' | 'lastLsn'> = {
    get lastLsn() {
      return opened.store.lastLsn
    },
    async *history(afterLsn) {
      for (const commit of opened.commits) if (commit.lsn > afterLsn && isKept(commit)) yield commit
    },
  }
  const log = new EventLog({ store, keptCount })
  opened.store.setCommitListener(commit => {
    opened.commits.push(commit)
    log.publish(commit)
  })
  return { opened, log }
}

type Follow = {
  readonly afterId?: string
  readonly count: number
  readonly project?: string
  /** Runs once the follower has got its cursor. */
  readonly change?: () => Promise<unknown>
}

/** Follows until so many were given besides the first mark. */
async function follow(log: EventLog, options: Follow): Promise<string[]> {
  const end = new AbortController()
  const stream = log.follow({
    isVisible: ({ projectIds }) => projectIds.includes(options.project ?? 'p1'),
    afterId: options.afterId,
    signal: end.signal,
  })
  const given: string[] = []
  let hasPlace = false
  for await (const followed of stream) {
    if (!hasPlace && followed.kind === 'mark') {
      hasPlace = true
      await options.change?.()
    } else given.push(textOf(followed))
    if (given.length >= options.count && hasPlace) break
  }
  end.abort()
  return given
}

function textOf(followed: Followed): string {
  const { kind, id } = followed
  return kind === 'event' ? `${followed.event.type} ${id}` : `${kind} ${id}`
}

t.test('a follower is given what happens from then on, and only what it may see', async t => {
  const { opened, log } = openLog()
  await opened.putZone('z0')
  const given = await follow(log, {
    count: 1,
    change: async () => {
      await opened.putZone('z2', { projectId: 'p2' })
      await opened.putZone('z1')
    },
  })
  t.same(given, ['dns.zone.create 3-0'])
})

t.test('an interrupted follower goes on behind its last event, or behind a mark', async t => {
  const { opened, log } = openLog()
  const { signal } = new AbortController()
  await log.follow({ isVisible: () => true, afterId: undefined, signal }).next()
  for (const id of ['z1', 'z2', 'z3']) await opened.putZone(id)
  t.same(await follow(log, { afterId: '2-0', count: 1 }), ['dns.zone.create 3-0'])
  t.same(await follow(log, { afterId: '2', count: 1 }), ['dns.zone.create 3-0'])
})

t.test('what happens while nobody follows is read again', async t => {
  const { opened, log } = await reopenedLog(async () => undefined)
  const first = await follow(log, { count: 1, change: () => opened.putZone('z1') })
  t.same(first, ['dns.zone.create 1-0'])
  await opened.putZone('z2')
  t.same(await follow(log, { afterId: '1-0', count: 2 }), ['dns.zone.create 2-0', 'mark 2'])
})

t.test('the first thing a follower is given is where it is', async t => {
  const { opened, log } = openLog()
  await opened.putZone('z1')
  const { signal } = new AbortController()
  const first = async (afterId?: string) => {
    const { value } = await log.follow({ isVisible: () => true, afterId, signal }).next()
    return textOf(value as Followed)
  }
  t.equal(await first(), 'mark 1')
  t.equal(await first('1-0'), 'mark 1-0')
})

t.test('what is older than memory is read again, and then what is newer is reported', async t => {
  const { opened, log } = await reopenedLog(async ({ putZone }) => {
    for (const id of ['z1', 'z2', 'z3']) await putZone(id)
  })
  t.same(await follow(log, { afterId: '1-0', count: 3 }), [
    'dns.zone.create 2-0',
    'dns.zone.create 3-0',
    'mark 3',
  ])
  await opened.putZone('z4')
  t.same(await follow(log, { afterId: '1-0', count: 4 }), [
    'dns.zone.create 2-0',
    'dns.zone.create 3-0',
    'dns.zone.create 4-0',
    'mark 4',
  ])
})

t.test('each event is reported once while commits go on under the reading', async t => {
  const { opened, log } = await reopenedLog(async ({ putZone }) => {
    for (let i = 1; i <= 20; i += 1) await putZone(`z${i}`)
  })
  const end = new AbortController()
  const ids: string[] = []
  for await (const followed of log.follow({
    isVisible: () => true,
    afterId: '0',
    signal: end.signal,
  })) {
    if (followed.kind === 'gap') t.fail('nothing is missing')
    if (followed.kind !== 'event') continue
    ids.push(followed.id)
    if (ids.length <= 20) await opened.putZone(`more${ids.length}`)
    if (ids.length === 40) break
  }
  end.abort()
  t.same(
    ids,
    Array.from({ length: 40 }, (_, i) => `${i + 1}-0`),
  )
})

t.test('of a commit with several events those behind the last one are reported', async t => {
  const { log } = await reopenedLog(async ({ store, commits, putZone }) => {
    await putZone('z1')
    const zone = store.get('zones', 'z1')!
    await store.commit(tx => {
      for (const id of ['a', 'b', 'c']) tx.put('zones', { ...zone, id, name: `${id}.example.` })
    })
    t.equal(commits.length, 2)
  })
  t.same(await follow(log, { afterId: '2-0', count: 2 }), [
    'dns.zone.create 2-1',
    'dns.zone.create 2-2',
  ])
})

const threeZones = async ({ putZone }: EventStore) => {
  for (const id of ['z1', 'z2', 'z3', 'z4']) await putZone(id)
}

t.test('what is gone from the journal is a gap at its cursor, and no more than that', async t => {
  const { log } = await reopenedLog(threeZones, ({ lsn }) => lsn > 2)
  t.same(await follow(log, { afterId: '0', count: 3 }), [
    'gap 2',
    'dns.zone.create 3-0',
    'dns.zone.create 4-0',
  ])
  t.same(await follow(log, { afterId: '2', count: 1 }), ['dns.zone.create 3-0'])
  const { log: holed } = await reopenedLog(threeZones, ({ lsn }) => lsn !== 3)
  t.same(await follow(holed, { afterId: '1', count: 3 }), [
    'dns.zone.create 2-0',
    'gap 3',
    'dns.zone.create 4-0',
  ])
  const { log: cut } = await reopenedLog(threeZones, ({ lsn }) => lsn < 4)
  t.same(await follow(cut, { afterId: '2', count: 2 }), ['dns.zone.create 3-0', 'gap 4'])
})

t.test('what was written without facts is a gap', async t => {
  const opened = openEventStore()
  await threeZones(opened)
  const commits = opened.commits.map(({ facts, ...commit }) =>
    commit.lsn === 2 ? { ...commit, facts: undefined } : { ...commit, facts },
  )
  const { store } = opened
  const history = async function* (afterLsn: number) {
    for (const commit of commits) if (commit.lsn > afterLsn) yield commit
  }
  const log = new EventLog({ store: { lastLsn: store.lastLsn, history } })
  t.same(await follow(log, { afterId: '0', count: 3 }), [
    'dns.zone.create 1-0',
    'gap 2',
    'dns.zone.create 3-0',
  ])
})

t.test('without a history, or with an id of no event of this store, there is a gap', async t => {
  const { opened, log } = openLog()
  await opened.putZone('z1')
  t.same(await follow(log, { afterId: 'no event id', count: 1 }), ['gap 1'])
  t.same(await follow(log, { afterId: '99-0', count: 1 }), ['gap 1'], 'it is still to come')
  const { log: fresh } = await reopenedLog(threeZones, () => false)
  t.same(await follow(fresh, { afterId: '1-0', count: 1 }), ['gap 4'])
})

t.test('commits that tell nothing are behind a mark, and no gap', async t => {
  const { log } = await reopenedLog(async ({ putZone, putRecordset }) => {
    await putZone('z1')
    await putRecordset('soa', { type: 'SOA', isManaged: true })
  })
  t.same(await follow(log, { afterId: '1-0', count: 1 }), ['mark 2'])
})

t.test('a follower that does not read holds nobody up and misses nothing', async t => {
  const before = openEventStore()
  const { opened, log } = openLog(afterLsn => before.commits.filter(({ lsn }) => lsn > afterLsn))
  const end = new AbortController()
  const stream = log.follow({ isVisible: () => true, afterId: undefined, signal: end.signal })
  await stream.next()
  for (let i = 0; i < 3_000; i += 1) await opened.putZone(`z${i}`)
  let count = 0
  for await (const followed of stream) {
    t.equal(followed.kind, 'event')
    count += 1
    if (count === 3_000) break
  }
  end.abort()
})

t.test('what a slow follower finds gone from memory it is told from the journal', async t => {
  const { opened, log } = await reopenedLog(
    async ({ putZone }) => putZone('z0'),
    () => true,
    2,
  )
  const end = new AbortController()
  const stream = log.follow({ isVisible: () => true, afterId: undefined, signal: end.signal })
  await stream.next()
  const ids: string[] = []
  for (let i = 1; i <= 40; i += 1) {
    await opened.putZone(`z${i}`)
    // Ever further behind.
    if (i % 4 === 0) ids.push((await stream.next()).value.id)
  }
  while (ids.at(-1) !== '41-0') {
    const { value } = await stream.next()
    if (value.kind !== 'mark') ids.push(value.id)
  }
  end.abort()
  t.same(
    ids,
    Array.from({ length: 40 }, (_, i) => `${i + 2}-0`),
  )
})

t.test('a commit that says nothing of what it changes is a gap for all', async t => {
  const { opened, log } = openLog()
  const { signal } = new AbortController()
  const stream = log.follow({ isVisible: () => true, afterId: undefined, signal })
  const next = async () => {
    const { kind, id } = (await stream.next()).value as Followed
    return `${kind} ${id}`
  }
  t.equal(await next(), 'mark 0')
  await opened.putZone('z1')
  await opened.putZone('z2')
  t.equal(await next(), 'event 1-0')
  // As between a log that was followed and another one, which may be shorter.
  log.publish({ lsn: 1, atMicros: 1, changes: [], rowChanges: [], added: [] })
  t.equal(await next(), 'event 2-0', 'what it had taken with the one before')
  t.equal(await next(), 'gap 2')
  await opened.putZone('z3')
  t.equal(await next(), 'event 3-0')
})

t.test('closing ends every stream', async t => {
  const { log } = openLog()
  const { signal } = new AbortController()
  const stream = log.follow({ isVisible: () => true, afterId: undefined, signal })
  await stream.next()
  const next = stream.next()
  log.close()
  t.match(await next, { done: true })
})

t.test('who was told by another node what is not here yet waits for it', async t => {
  const opened = openEventStore(commit => log.publish(commit))
  const answers: ({ readonly staleSeconds: number } | undefined)[] = [{ staleSeconds: 1 }]
  const isAsked = Promise.withResolvers<void>()
  const store = {
    get lastLsn() {
      return opened.store.lastLsn
    },
    history: () => opened.store.history(Number.MAX_SAFE_INTEGER),
  }
  const log: EventLog = new EventLog({
    store,
    async caughtUp() {
      isAsked.resolve()
      return answers.shift()
    },
  })
  await opened.putZone('z1')
  const followed = follow(log, { afterId: '2-0', count: 1 })
  await isAsked.promise
  await opened.putZone('z2')
  await opened.putZone('z3')
  t.same(await followed, ['dns.zone.create 3-0'], 'without a gap')
  t.same(answers, [])
  t.same(await follow(log, { afterId: '9-0', count: 1 }), ['gap 3'], 'it is nowhere')
})

t.test('a follower of whom nothing happens is told every 15 s where it is', async t => {
  const timers = heldTimers(t)
  const { opened, log } = openLog()
  const end = new AbortController()
  const stream = log.follow({ isVisible: () => true, afterId: undefined, signal: end.signal })
  await stream.next()
  const given: string[] = []
  const rest = (async () => {
    for await (const followed of stream) given.push(textOf(followed))
  })()
  await nextImmediate()
  timers.advanceMillis(14_999)
  await nextImmediate()
  t.same(given, [])
  timers.advanceMillis(1)
  await nextImmediate()
  t.same(given, ['mark 0'])
  await opened.putZone('z1')
  await nextImmediate()
  timers.advanceMillis(15_000)
  await nextImmediate()
  t.same(given, ['mark 0', 'dns.zone.create 1-0', 'mark 1'])
  end.abort()
  await rest
})
