import t from 'tap'
import { OutboundAddresses } from '../../../src/model/outbound-address.ts'
import { EventLog } from '../../../src/service/events/event-log.ts'
import { ProjectWebhooks } from '../../../src/service/events/project-webhooks.ts'
import { WebhookRows } from '../../../src/service/events/webhook-rows.ts'
import { callerOf } from '../../helpers/dns.ts'
import { openEventStore } from '../../helpers/event-store.ts'
import { until } from '../../helpers/until.ts'

const draft = { url: 'https://192.0.2.1/', description: null, eventTypes: [] }

const addresses = new OutboundAddresses({ allowed: [], ownAddresses: () => [] })

t.test('an event right after the first webhook is sent after a crash', async t => {
  const { store, putZone } = openEventStore()
  const log = new EventLog({ store })
  const sent = Promise.withResolvers<string>()
  // Of the process that crashed, only the store is left: it had handed over nothing.
  const webhooks = new ProjectWebhooks({
    store,
    log,
    post: async (_url, { body }) => {
      sent.resolve(body)
      return 204
    },
    bodyOf: ({ payload }) => payload,
    onFailed: error => t.fail('not sent', { error }),
  })
  const rows = new WebhookRows({ store, sending: () => webhooks, addresses })
  await rows.create(callerOf('p1'), draft)
  await putZone('z1')
  await webhooks.start()
  t.match(JSON.parse(await sent.promise), { name: 'z1.example.' })
  log.close()
  await webhooks.close()
})

t.test('after the log could not be read, events are sent nevertheless', async t => {
  const { store, putZone } = openEventStore()
  const log = new EventLog({ store })
  const sent = Promise.withResolvers<string>()
  const problems: string[] = []
  const paused: number[] = []
  let followCount = 0
  const webhooks = new ProjectWebhooks({
    store,
    log: {
      follow(options) {
        followCount += 1
        // The one that hands over events, then that of the webhook itself.
        if (followCount === 1 || followCount === 3) throw new Error(`no file ${followCount}`)
        return log.follow(options)
      },
    },
    post: async (_url, { body }) => {
      sent.resolve(body)
      return 204
    },
    bodyOf: ({ payload }) => payload,
    pause: async ms => void paused.push(ms),
    onFailed: error => problems.push(String(error)),
  })
  const rows = new WebhookRows({ store, sending: () => webhooks, addresses })
  await rows.create(callerOf('p1'), draft)
  await putZone('z1')
  await webhooks.start()
  t.match(JSON.parse(await sent.promise), { name: 'z1.example.' })
  t.strictSame(problems, ['Error: no file 1', 'Error: no file 3'])
  t.equal(paused.length, 2)
  log.close()
  await webhooks.close()
})

t.test('a webhook that is deleted while it has events to send leaves no cursor', async t => {
  const { store, putZone } = openEventStore(commit => {
    webhooks.commitPublished(commit)
    log.publish(commit)
  })
  const log = new EventLog({ store })
  const webhooks = new ProjectWebhooks({
    store,
    log,
    post: (_url, _request, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', reject)),
    bodyOf: ({ payload }) => payload,
    onFailed: error => t.fail('not sent', { error }),
  })
  const rows = new WebhookRows({ store, sending: () => webhooks, addresses })
  await webhooks.start()
  const { id } = await rows.create(callerOf('p1'), draft)
  await putZone('z1')
  await until(() => store.get('webhookPlaces', id))
  await rows.delete(callerOf('p1'), id)
  log.close()
  await webhooks.close()
  t.strictSame(
    [...store.rows('webhookPlaces')].map(row => row.id),
    ['projects'],
  )
})

t.test('the last fifty deliveries are remembered, newest first', async t => {
  const { store, putZone } = openEventStore()
  const log = new EventLog({ store })
  const webhooks = new ProjectWebhooks({
    store,
    log,
    post: async () => 204,
    bodyOf: ({ payload }) => payload,
    onFailed: error => t.fail('not sent', { error }),
  })
  const rows = new WebhookRows({ store, sending: () => webhooks, addresses })
  const { id } = await rows.create(callerOf('p1'), draft)
  const lsns: number[] = []
  for (let i = 0; i < 52; i += 1) {
    await putZone(`z${i}`)
    lsns.push(store.lastLsn)
  }
  await webhooks.start()
  const deliveries = await until(
    () => rows.deliveries(callerOf('p1'), id),
    ([newest]) => newest?.id.startsWith(`${store.lastLsn}-`) ?? false,
  )
  t.same(
    deliveries.map(each => Number.parseInt(each.id, 10)),
    lsns.slice(-50).reverse(),
  )
  log.close()
  await webhooks.close()
})
