import t from 'tap'
import { EventLog, type Followed, type History } from '../../../src/service/events/event-log.ts'
import { type EventStore, openEventStore } from '../../helpers/event-store.ts'

type Opened = { readonly opened: EventStore; readonly log: EventLog }

function openLog(history: History = async () => undefined): Opened {
  let log: EventLog | undefined
  const opened = openEventStore(commit => log?.publish(commit))
  log = new EventLog({ storedZone: id => opened.store.get('zones', id), history })
  return { opened, log }
}

/** Follows until so many were given; `change` runs once the follower waits. */
async function follow(
  log: EventLog,
  options: { afterId?: string; count: number; project?: string; change?: () => Promise<void> },
): Promise<string[]> {
  const end = new AbortController()
  const stream = log.follow({
    isVisible: ({ projectIds }) => projectIds.includes(options.project ?? 'p1'),
    afterId: options.afterId,
    signal: end.signal,
  })
  const first = stream.next()
  await options.change?.()
  const given: string[] = []
  for (let next = await first; next.done !== true; next = await stream.next()) {
    given.push(textOf(next.value))
    if (given.length === options.count) break
  }
  end.abort()
  await stream.return(undefined)
  return given
}

function textOf(followed: Followed): string {
  return followed.kind === 'event' ? `${followed.event.type} ${followed.event.id}` : followed.kind
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

t.test('an interrupted follower goes on behind its last event', async t => {
  const { opened, log } = openLog()
  for (const id of ['z1', 'z2', 'z3']) await opened.putZone(id)
  t.same(await follow(log, { afterId: '2-0', count: 1 }), ['dns.zone.create 3-0'])
})

t.test('what is older than memory is read again from the journal', async t => {
  const before = openEventStore()
  for (const id of ['z1', 'z2']) await before.putZone(id)
  const { log } = openLog(async afterLsn => before.commits.filter(({ lsn }) => lsn > afterLsn))
  t.same(await follow(log, { afterId: '1-0', count: 1 }), ['dns.zone.create 2-0'])
})

t.test('where the journal does not reach back so far, that is said', async t => {
  const { log } = openLog()
  t.same(await follow(log, { afterId: '1-0', count: 1 }), ['gap'])
  t.same(await follow(log, { afterId: 'no event id', count: 1 }), ['gap'])
})

t.test('a follower that does not read is let go and holds nobody up', async t => {
  const { opened, log } = openLog()
  const end = new AbortController()
  const stream = log.follow({ isVisible: () => true, afterId: undefined, signal: end.signal })
  const first = stream.next()
  for (let i = 0; i < 2_100; i += 1) await opened.putZone(`z${i}`)
  await first
  let count = 1
  for await (const followed of stream) count += Number(followed.kind === 'event')
  t.ok(count < 2_100, 'the stream has ended')
})

t.test('closing ends every stream', async t => {
  const { log } = openLog()
  const { signal } = new AbortController()
  const stream = log.follow({ isVisible: () => true, afterId: undefined, signal })
  const next = stream.next()
  log.close()
  t.match(await next, { done: true })
})
