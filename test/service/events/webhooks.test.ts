import t, { type Test } from 'tap'
import { EventLog } from '../../../src/service/events/event-log.ts'
import type { WebhookEvent } from '../../../src/service/events/webhook.ts'
import { Webhooks } from '../../../src/service/events/webhooks.ts'
import { openEventStore } from '../../helpers/event-store.ts'

/** A store whose events are told to receivers, over as many starts as the test makes. */
function openTold(t: Test, isUp: (url: string) => boolean = () => true) {
  let log: EventLog | undefined
  const opened = openEventStore(commit => log?.publish(commit))
  const { store, commits } = opened
  // As the journal has them.
  const past = {
    get lastLsn() {
      return store.lastLsn
    },
    async *history(afterLsn: number) {
      for (const commit of commits) if (commit.lsn > afterLsn) yield commit
    },
  }
  const told: string[] = []
  const problems: WebhookEvent[] = []
  let wake: () => void = () => undefined
  return {
    ...opened,
    told,
    problems,
    async start(urls: readonly string[]) {
      const ownLog = new EventLog({ store: past })
      log = ownLog
      const webhooks = new Webhooks({
        urls,
        secret: undefined,
        post: async (url, { body }) => {
          if (!isUp(url)) throw new TypeError('no route')
          told.push(`${url} ${JSON.parse(body).name}`)
          wake()
          return 204
        },
        store,
        log: ownLog,
        bodyOf: ({ payload }) => payload,
        onEvent: event => problems.push(event),
        onFailed: error => t.fail('places were not kept', { error }),
      })
      await webhooks.start()
      return {
        async close() {
          ownLog.close()
          await webhooks.close()
        },
      }
    },
    async untilTold(count: number) {
      while (told.length < count) await new Promise<void>(resolve => (wake = resolve))
    },
  }
}

t.test(
  'every address is notified, and one that fails does not keep the others waiting',
  async t => {
    const isUp = (url: string) => url === 'up'
    const { told, start, putZone, untilTold } = openTold(t, isUp)
    const webhooks = await start(['down', 'up'])
    await putZone('z1')
    await putZone('z2')
    await untilTold(2)
    t.same(told, ['up z1.example.', 'up z2.example.'])
    // Ends the wait for the next try as well.
    await webhooks.close()
  },
)

t.test('a receiver is told after a restart what it was not before, and nothing twice', async t => {
  let isReachable = true
  const { told, start, putZone, untilTold } = openTold(t, () => isReachable)
  const first = await start(['a'])
  await putZone('z1')
  await untilTold(1)
  isReachable = false
  await putZone('z2')
  await first.close()
  await putZone('z3')
  isReachable = true
  const second = await start(['a'])
  await untilTold(3)
  t.same(told, ['a z1.example.', 'a z2.example.', 'a z3.example.'])
  await second.close()
  const third = await start(['a'])
  await putZone('z4')
  await untilTold(4)
  t.equal(told[3], 'a z4.example.')
  await third.close()
})

t.test('a receiver that is new, or comes back, is told from then on', async t => {
  const { told, start, putZone, untilTold, store } = openTold(t)
  await putZone('z1')
  const first = await start(['a'])
  await putZone('z2')
  await untilTold(1)
  await first.close()
  const without = await start([])
  t.equal(store.count('webhookPlaces', 'all', ''), 0)
  await putZone('z3')
  await without.close()
  const again = await start(['a', 'b'])
  await putZone('z4')
  await untilTold(3)
  t.same(told.toSorted(), ['a z2.example.', 'a z4.example.', 'b z4.example.'])
  await again.close()
})

t.test('the address itself is not stored', async t => {
  const { start, store } = openTold(t)
  const webhooks = await start(['http://receiver.example/?key=secret'])
  t.notMatch(JSON.stringify([...store.list('webhookPlaces', 'all', '')]), 'secret')
  await webhooks.close()
})
