import t from 'tap'
import { Webhooks } from '../../../src/service/events/webhooks.ts'

t.test('every address is told, and one that fails does not keep the others waiting', async t => {
  const told: string[] = []
  const webhooks = new Webhooks({
    urls: ['http://down.example/', 'http://up.example/'],
    secret: undefined,
    post: async (url, { body }) => {
      if (url.includes('down')) throw new TypeError('no route')
      told.push(body)
      return 204
    },
    onEvent: () => undefined,
  })
  t.notOk(webhooks.isEmpty)
  webhooks.offer({ id: '1-0', type: 'dns.zone.create', body: 'one' })
  webhooks.offer({ id: '2-0', type: 'dns.zone.create', body: 'two' })
  while (told.length < 2) await new Promise(resolve => setImmediate(resolve))
  t.same(told, ['one', 'two'])
  // Ends the wait for the next try as well.
  await webhooks.close()
})

t.test('without addresses there is nobody to tell', async t => {
  const options = { secret: undefined, post: async () => 204, onEvent: () => undefined }
  const webhooks = new Webhooks({ urls: [], ...options })
  t.ok(webhooks.isEmpty)
  await webhooks.close()
})
