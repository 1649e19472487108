import t from 'tap'
import { OutboundAddresses } from '../../../src/model/outbound-address.ts'
import { EventLog } from '../../../src/service/events/event-log.ts'
import { ProjectWebhooks } from '../../../src/service/events/project-webhooks.ts'
import { WebhookRows } from '../../../src/service/events/webhook-rows.ts'
import { callerOf } from '../../helpers/dns.ts'
import { openEventStore } from '../../helpers/event-store.ts'

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
  const addresses = new OutboundAddresses({ allowed: [], ownAddresses: () => [] })
  const rows = new WebhookRows({ store, sending: () => webhooks, addresses })
  await rows.create(callerOf('p1'), {
    url: 'https://192.0.2.1/',
    description: null,
    eventTypes: [],
  })
  await putZone('z1')
  await webhooks.start()
  t.match(JSON.parse(await sent.promise), { name: 'z1.example.' })
  log.close()
  await webhooks.close()
})
