import { createHmac } from 'node:crypto'
import t from 'tap'
import { type Post, Webhook, type WebhookEvent } from '../../../src/service/events/webhook.ts'

const delivery = (id: string) => ({ id, type: 'dns.zone.create', body: `{"id":"${id}"}` })

/** A webhook whose receiver gives these answers, one after the other, and then takes everything. */
function openWebhook(answers: readonly (number | Error)[], secret: string | undefined = 'key') {
  const posts: { headers: Readonly<Record<string, string>>; body: string }[] = []
  const events: WebhookEvent[] = []
  const waits: number[] = []
  const post: Post = async (_url, request) => {
    posts.push(request)
    const answer = answers[posts.length - 1] ?? 204
    if (answer instanceof Error) throw answer
    return answer
  }
  const webhook = new Webhook({
    url: 'http://receiver.example/',
    secret,
    post,
    wait: async ms => {
      waits.push(ms)
    },
    onEvent: event => events.push(event),
  })
  return { webhook, posts, events, waits }
}

t.test('an event is delivered, signed over the body', async t => {
  const { webhook, posts, events } = openWebhook([204])
  t.equal(await webhook.deliver(delivery('1-0')), true)
  const [first] = posts
  const signature = createHmac('sha256', 'key')
    .update(first?.body ?? '')
    .digest('hex')
  t.equal(first?.headers['x-zonewright-signature'], `sha256=${signature}`)
  t.equal(first?.headers['x-zonewright-event'], 'dns.zone.create')
  t.equal(first?.headers['x-zonewright-delivery'], '1-0')
  t.same(events, [])
})

t.test('without a secret nothing is signed', async t => {
  const { webhook, posts } = openWebhook([204], '')
  await webhook.deliver(delivery('1-0'))
  t.notOk('x-zonewright-signature' in (posts[0]?.headers ?? {}))
})

t.test('no answer, 5xx and 429 are tried again, each time later', async t => {
  const { webhook, posts, waits, events } = openWebhook([new TypeError('refused'), 503, 429, 204])
  t.equal(await webhook.deliver(delivery('1-0')), true)
  t.equal(posts.length, 4)
  t.same(waits, [1000, 2000, 4000])
  t.same(events, [])
})

t.test('a refusal is final, and the next event is delivered', async t => {
  const { webhook, posts, events } = openWebhook([410, 204])
  t.equal(await webhook.deliver(delivery('1-0')), true)
  t.equal(await webhook.deliver(delivery('2-0')), true)
  t.equal(posts.length, 2)
  t.match(events, [{ kind: 'given-up', id: '1-0', reason: 'it answered 410' }])
})

t.test('the patience with one event is bounded', async t => {
  const { webhook, posts, events } = openWebhook(Array.from({ length: 20 }, () => 500))
  t.equal(await webhook.deliver(delivery('1-0')), true)
  t.equal(posts.length, 10)
  t.match(events, [{ kind: 'given-up', id: '1-0' }])
})

t.test(
  'what is on its way when the webhook is closed is neither delivered nor given up',
  async t => {
    const { webhook, events } = openWebhook([503])
    const delivering = webhook.deliver(delivery('1-0'))
    webhook.close()
    t.equal(await delivering, false)
    t.same(events, [])
  },
)
