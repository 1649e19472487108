import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { openEvents } from '../../src/app/events.ts'
import { OutboundAddresses } from '../../src/model/outbound-address.ts'
import { configWith } from '../helpers/config.ts'
import { openEventStore } from '../helpers/event-store.ts'
import { memoryLog } from '../helpers/log.ts'
import { anywhereForAll } from '../helpers/reach.ts'
import { until } from '../helpers/until.ts'

t.test('a webhook that is refused is in the log, and its password is not', async t => {
  const receiver = createServer((request, response) => {
    request.resume()
    response.writeHead(410).end()
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
    store: kept.store,
    outbound: {
      reaches: anywhereForAll,
      addresses: new OutboundAddresses({ allowed: [], ownAddresses: () => [] }),
    },
  })
  t.teardown(() => events.close())
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
