import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { openEvents } from '../../src/app/events.ts'
import { OutboundAddresses } from '../../src/model/outbound-address.ts'
import { type Store, StoreUnavailableError } from '../../src/store/store.ts'
import { configWith } from '../helpers/config.ts'
import { openEventStore } from '../helpers/event-store.ts'
import { memoryLog } from '../helpers/log.ts'
import { anywhereForAll } from '../helpers/reach.ts'
import { until } from '../helpers/until.ts'

/** The events of a store, sent to a receiver of one address.
 *  @param respond handles its requests */
async function openSending(
  t: Test,
  respond: RequestListener,
  storeOf: (store: Store) => Store = store => store,
) {
  const receiver = createServer((request, response) => {
    request.resume()
    respond(request, response)
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.teardown(() => receiver.close())
  const { port } = receiver.address() as AddressInfo
  const log = memoryLog('warn')
  const kept = openEventStore(commit => events.publish(commit))
  const events = openEvents({
    config: configWith({
      webhookUrls: [`http://user:s3cr@t@127.0.0.1:${port}/hook`],
      webhookSecret: 'key',
    }),
    logger: log.logger,
    store: storeOf(kept.store),
    outbound: {
      reaches: anywhereForAll,
      outboundAddresses: new OutboundAddresses({ allowed: [], ownAddresses: () => [] }),
    },
  })
  t.teardown(() => events.close())
  return { kept, events, log, port }
}

t.test('a webhook that is refused is in the log, and its password is not', async t => {
  const { kept, events, log, port } = await openSending(t, (_, response) => {
    response.writeHead(410).end()
  })
  await events.sendWebhooks(new AbortController().signal)
  await kept.putZone('z1')
  const [line] = await until(
    async () => log.lines(),
    lines => lines.length > 0,
  )
  const url = `http://127.0.0.1:${port}/hook`
  t.match(line, { kind: 'given-up', url, reason: 'it answered 410' })
  t.notMatch(log.text(), /s3cr|@t/)
})

t.test('what was sent is not stored any more once another node may send', async t => {
  const { kept, events } = await openSending(t, (_, response) => response.writeHead(204).end())
  const duty = new AbortController()
  await events.sendWebhooks(duty.signal)
  await kept.putZone('z1')
  const stored = () => [...kept.store.rows('webhookPlaces')].map(({ version }) => version)
  const before = stored()
  duty.abort()
  for (let i = 0; i < 10; i += 1) {
    await kept.putZone('z1')
    await nextImmediate()
  }
  t.same(stored(), before)
})

t.test('sending that could not begin as a whole begins once', async t => {
  const sent: string[] = []
  let commits = 0
  const refuseThird = (store: Store): Store =>
    Object.create(store, {
      commit: {
        value: async (change: Parameters<Store['commit']>[0]) => {
          commits += 1
          if (commits === 3) throw new StoreUnavailableError('The change is not made')
          return store.commit(change)
        },
      },
    })
  const { kept, events } = await openSending(
    t,
    ({ headers }, response) => {
      sent.push(String(headers['x-zonewright-delivery']))
      response.writeHead(204).end()
    },
    refuseThird,
  )
  const { signal } = new AbortController()
  await t.rejects(events.sendWebhooks(signal), StoreUnavailableError)
  await events.sendWebhooks(signal)
  for (const zone of ['z1', 'z2', 'z3']) await kept.putZone(zone)
  await until(() => new Set(sent).size === 3)
  await events.close()
  t.equal(sent.length, 3)
})
