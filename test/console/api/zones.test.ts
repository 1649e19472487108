import t, { type Test } from 'tap'

// What the console's session expects of a browser; the type check of the tests knows none, so it does not follow this import.
Object.assign(globalThis, {
  removeEventListener: () => undefined,
  sessionStorage: { getItem: () => null },
})
const path: string = '../../../src/console/api/zones.ts'
const { exportZone } = (await import(path)) as {
  exportZone(zone: { readonly id: string }): Promise<string>
}

/** Answers the requests of the console with these texts, by method and path, and notes them. */
function answering(t: Test, answers: Readonly<Record<string, string>>): readonly string[] {
  const requests: string[] = []
  const { fetch } = globalThis
  t.teardown(() => Object.assign(globalThis, { fetch }))
  globalThis.fetch = async (path, { method } = {}) => {
    const request = `${method} ${path}`
    requests.push(request)
    const answer = answers[request]
    return answer === undefined ? new Response('no', { status: 503 }) : new Response(answer)
  }
  return requests
}

const zone = { id: 'zone' }
const start = 'POST /v2/zones/zone/tasks/export'
const task = 'GET /v2/zones/tasks/exports/task'
const file = 'GET /v2/zones/tasks/exports/task/export'
const removal = 'DELETE /v2/zones/tasks/exports/task'
const state = (status: string, message?: string) => JSON.stringify({ id: 'task', status, message })

t.test('an export leaves no task in the list, whatever becomes of it', async t => {
  const pending = { [start]: state('PENDING'), [removal]: '' }
  const done = { ...pending, [task]: state('COMPLETE') }
  answering(t, { ...done, [file]: 'the file' })
  t.equal(await exportZone(zone), 'the file')
  for (const answers of [done, pending, { ...pending, [task]: state('ERROR', 'too large') }]) {
    const requests = answering(t, answers)
    await t.rejects(exportZone(zone))
    t.equal(requests.at(-1), removal)
  }
})

t.test('a file that was read counts, even if its task cannot be removed', async t => {
  answering(t, { [start]: state('COMPLETE'), [file]: 'the file' })
  t.equal(await exportZone(zone), 'the file')
})
