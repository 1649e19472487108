import t from 'tap'
import { designate, plain } from '../../../src/api/dialect.ts'
import { eventRoutes } from '../../../src/api/dns/events.ts'
import { EventLog } from '../../../src/service/events/event-log.ts'
import { startApi, type TestApi } from '../../helpers/api.ts'
import type { ApiClient } from '../../helpers/api-client.ts'
import { openEventStore } from '../../helpers/event-store.ts'

async function startEvents(t: Parameters<typeof startApi>[0], options = {}) {
  let log: EventLog | undefined
  const opened = openEventStore(commit => log?.publish(commit))
  const { store } = opened
  log = new EventLog({ store })
  const routes = eventRoutes(log, options)
  const api = await startApi(t, {
    mounts: () => [
      { base: '/v2', dialect: plain, routes, hidesUnknown: true },
      { base: '/dns/v2', dialect: designate, routes, hidesUnknown: true },
    ],
  })
  t.teardown(() => log.close())
  return { api, opened, log }
}

/** Opens a stream and returns it once the server has said that it is connected. */
async function openStream(api: TestApi, client: ApiClient, headers: Record<string, string> = {}) {
  const response = await fetch(`${api.url}/v2/events`, {
    headers: { ...client.headers, ...headers },
  })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  const readUntil = async (wanted: RegExp) => {
    while (!wanted.test(text)) {
      const { value, done } = await reader.read()
      if (done) break
      text += Buffer.from(value).toString('utf8')
    }
    return text
  }
  await readUntil(/: connected\n\n/)
  return { response, readUntil, close: () => reader.cancel() }
}

t.test('a change is streamed as a server-sent event with Designate’s name', async t => {
  const { api, opened } = await startEvents(t)
  const member = await api.clientOf({ project: 'alpha' })
  const projectId = api.store.find('projects', 'byName', 'default\nalpha')?.id ?? ''
  const stream = await openStream(api, member)
  t.match(stream.response.headers.get('content-type'), /^text\/event-stream/)
  await opened.putZone('theirs', { projectId: 'another' })
  await opened.putZone('ours', { projectId })
  const text = await stream.readUntil(/ours\.example\./)
  t.match(text, /id: \d+-0\nevent: dns\.zone\.create\ndata: \{.*"event_type":"dns\.zone\.create"/)
  t.notMatch(text, /theirs/, 'another project’s zone is not reported')
  await stream.close()
})

t.test('administrators who ask for all projects are told of all', async t => {
  const { api, opened } = await startEvents(t)
  const stream = await openStream(api, api.admin.with({ 'x-auth-all-projects': 'true' }))
  await opened.putZone('theirs', { projectId: 'another' })
  t.match(await stream.readUntil(/theirs/), /dns\.zone\.create/)
  await stream.close()
})

t.test('Last-Event-ID goes on behind an event, or says that there is a gap', async t => {
  const { api, opened } = await startEvents(t)
  const all = api.admin.with({ 'x-auth-all-projects': 'true' })
  for (const id of ['first', 'second', 'third']) await opened.putZone(id)
  const stream = await openStream(api, all, { 'last-event-id': '2-0' })
  const text = await stream.readUntil(/third/)
  t.notMatch(text, /second/)
  await stream.close()
  t.match(text, /: connected\n\nid: 2-0\n/, 'it is told where it is')
  const old = await openStream(api, all, { 'last-event-id': '0-7' })
  t.match(await old.readUntil(/gap/), /event: dns\.events\.gap/)
  await old.close()
})

t.test('without a token there is no stream', async t => {
  const { api } = await startEvents(t)
  t.equal((await api.anonymous.get('/v2/events')).status, 401)
})

t.test('a stream ends when the server stops, which then does not wait for it', async t => {
  const { api, log } = await startEvents(t)
  const stream = await openStream(api, api.admin)
  log.close()
  await stream.readUntil(/never/)
  await api.close()
  t.pass('both have ended')
})

t.test('a stream ends when its token is taken back', async t => {
  const { api, opened } = await startEvents(t, { confirmEveryMs: 0 })
  const member = await api.clientOf({ project: 'alpha' })
  const stream = await openStream(api, member)
  await opened.putZone('before', { projectId: 'alpha' })
  t.match(await stream.readUntil(/before/), /before/)
  const subject = member.headers['x-auth-token'] ?? ''
  const taken = await member.with({ 'x-subject-token': subject }).delete('/identity/v3/auth/tokens')
  t.equal(taken.status, 204)
  await opened.putZone('behind', { projectId: 'alpha' })
  t.notMatch(await stream.readUntil(/behind/), /behind/)
  await stream.close()
})
