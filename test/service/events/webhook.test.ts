import { createHmac } from 'node:crypto'
import t from 'tap'
import { type Post, Webhook, type WebhookEvent } from '../../../src/service/events/webhook.ts'

const delivery = (id: string) => ({ id, type: 'dns.zone.create', body: `{"id":"${id}"}` })

function openWebhook(post: Post, secret: string | undefined = 'key') {
  const events: WebhookEvent[] = []
  const waits: number[] = []
  const webhook = new Webhook({
    url: 'http://receiver.example/',
    secret,
    post,
    wait: async ms => {
      waits.push(ms)
    },
    onEvent: event => events.push(event),
  })
  return { webhook, events, waits }
}

/** Resolves once so many posts have been made. */
function receiver(statuses: readonly (number | Error)[]) {
  const posts: { headers: Readonly<Record<string, string>>; body: string }[] = []
  let done: () => void = () => undefined
  const finished = new Promise<void>(resolve => {
    done = resolve
  })
  const post: Post = async (_url, request) => {
    posts.push(request)
    const status = statuses[posts.length - 1] ?? 204
    if (posts.length >= statuses.length) done()
    if (status instanceof Error) throw status
    return status
  }
  return { post, posts, finished }
}

t.test('events are delivered in order, signed over the body', async t => {
  const { post, posts, finished } = receiver([204, 200])
  const { webhook, events } = openWebhook(post)
  webhook.offer(delivery('1-0'))
  webhook.offer(delivery('2-0'))
  await finished
  await webhook.close()
  t.same(
    posts.map(({ headers }) => headers['x-zonewright-delivery']),
    ['1-0', '2-0'],
  )
  const [first] = posts
  const signature = createHmac('sha256', 'key')
    .update(first?.body ?? '')
    .digest('hex')
  t.equal(first?.headers['x-zonewright-signature'], `sha256=${signature}`)
  t.equal(first?.headers['x-zonewright-event'], 'dns.zone.create')
  t.same(events, [])
})

t.test('without a secret nothing is signed', async t => {
  const { post, posts, finished } = receiver([204])
  const { webhook } = openWebhook(post, '')
  webhook.offer(delivery('1-0'))
  await finished
  t.notOk('x-zonewright-signature' in (posts[0]?.headers ?? {}))
})

t.test('no answer, 5xx and 429 are tried again, each time later', async t => {
  const { post, posts, finished } = receiver([new TypeError('refused'), 503, 429, 204])
  const { webhook, waits, events } = openWebhook(post)
  webhook.offer(delivery('1-0'))
  await finished
  await webhook.close()
  t.equal(posts.length, 4)
  t.same(waits, [1000, 2000, 4000])
  t.same(events, [])
})

t.test('a refusal is final, and the next event is delivered', async t => {
  const { post, posts, finished } = receiver([410, 204])
  const { webhook, events } = openWebhook(post)
  webhook.offer(delivery('1-0'))
  webhook.offer(delivery('2-0'))
  await finished
  await webhook.close()
  t.equal(posts.length, 2)
  t.match(events, [{ kind: 'given-up', id: '1-0', reason: 'it answered 410' }])
})

t.test('the patience with one event is bounded', async t => {
  const { post, finished } = receiver(Array.from({ length: 10 }, () => 500))
  const { webhook, events } = openWebhook(post)
  webhook.offer(delivery('1-0'))
  await finished
  // Its turn comes after the last answer has been looked at.
  while (events.length === 0) await new Promise(resolve => setImmediate(resolve))
  t.match(events, [{ kind: 'given-up', id: '1-0' }])
})

t.test('of too many the oldest that wait are dropped', async t => {
  let answer: (status: number) => void = () => undefined
  const { webhook, events } = openWebhook(() => new Promise(resolve => (answer = resolve)))
  for (let i = 0; i < 10_002; i += 1) webhook.offer(delivery(`${i}-0`))
  t.same(
    events.map(({ kind, id }) => `${kind} ${id}`),
    ['dropped 1-0', 'dropped 2-0'],
  )
  const closed = webhook.close()
  answer(204)
  await closed
})
