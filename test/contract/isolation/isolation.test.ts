import t, { type Test } from 'tap'
import type { Dialect } from '../../../src/api/dialect.ts'
import type { Route } from '../../../src/api/route.ts'
import type { RoleName } from '../../../src/identity/caller.ts'
import { isAllowed, withImpliedRoles } from '../../../src/identity/policy.ts'
import type { Answer, ApiClient } from '../../helpers/api-client.ts'
import { dnsRows, dnsV1Rows, otherRows, powerDnsRows } from './dns-rows.ts'
import { callStream } from './event-stream.ts'
import { identityRows } from './identity-rows.ts'
import { ratingRows, ratingV1Rows } from './rating-rows.ts'
import { type Row, type Rows, rowKey } from './row.ts'
import { type Served, serve } from './served.ts'
import type { Things } from './things.ts'

// Every route that the server has, tried on one project's things by those who have no part in them: nothing is told
// and nothing is done. The routes are those of the running server, so one without a row here is found out.

const rows: Rows = {
  ...dnsRows,
  ...dnsV1Rows,
  ...identityRows,
  ...ratingRows,
  ...ratingV1Rows,
  ...otherRows,
  ...powerDnsRows,
}

/** A route where it answers, with how it is tried. */
type Target = {
  readonly key: string
  readonly address: string
  readonly route: Route
  readonly dialect: Dialect
  readonly row: Row
}

const served = await serve(t)
const { things } = served
await finishedImports(served.owner)
await served.webhooksNoted()
const shownBefore = await shownOfOwner()
const targets = targetsOf(served)

/** A project's imports, once none is under way. */
async function finishedImports(client: ApiClient) {
  for (;;) {
    const { imports } = (await client.get('/v2/zones/tasks/imports')).body
    const isUnderWay = ({ status }: { status: string }) => status === 'PENDING'
    if (!imports.some(isUnderWay)) return imports
  }
}

/** What the owner sees of what it has. */
async function shownOfOwner(): Promise<readonly string[]> {
  const zone = `/v2/zones/${things.ids.zone_id}`
  const paths = ['/v2/zones', '/v2/recordsets', `${zone}/shares`, '/v2/dataframes']
  const tasks = ['imports', 'exports', 'transfer_requests'].map(name => `/v2/zones/tasks/${name}`)
  const shown = []
  for (const path of [...paths, ...tasks]) {
    const { status, text } = await served.owner.get(path)
    shown.push(`${path} ${status} ${text}`)
  }
  // The rest of a budget changes with the time.
  const { amount, thresholds } = (await served.owner.get(`/v2/budgets/${things.ids.budget_id}`))
    .body
  return [...shown, `budget ${amount} ${thresholds}`]
}

function targetsOf({ mounts }: Served): readonly Target[] {
  return mounts.flatMap(({ base, routes, dialect }) =>
    routes.map(route => {
      const address = `${base}${route.path}`
      const key = rowKey(route.method, address)
      return { key, address, route, dialect, row: rows[key] ?? {} }
    }),
  )
}

t.test('every route has a row, and every row a route', async t => {
  const keys = new Set(targets.map(({ key }) => key))
  t.same([...keys].filter(key => !Object.hasOwn(rows, key)).sort(), [])
  t.same(
    Object.keys(rows).filter(key => !keys.has(key)),
    [],
  )
  t.ok(targets.length > 350, `${targets.length} routes`)
})

t.test('a row’s body passes its route’s schema', async t => {
  for (const target of targets) {
    const { route, row, key } = target
    const needsBody = route.bodySchema !== undefined && route.allowsEmptyBody !== true
    t.equal(row.body !== undefined || !needsBody, true, `${key} is tried with a body`)
  }
})

const unknownIds: readonly [RegExp, string][] = [
  [/^(?:project|tenant|user|role|application_credential)_id$/, 'f'.repeat(32)],
  [/^floatingip_key$/, 'North:5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'],
  [/^scope_id$/, 'nobody'],
]
const unknownUuid = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'

function unknownId({ address }: Target, name: string): string {
  if (address.startsWith('/identity')) return 'f'.repeat(32)
  return unknownIds.find(([pattern]) => pattern.test(name))?.[1] ?? unknownUuid
}

/** The parameters of a target's path: the owner's things, or nobody's. */
function parametersOf(target: Target, whose: 'owner' | 'nobody'): Readonly<Record<string, string>> {
  const names = [...target.address.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const owned = { ...things.ids, ...target.row.parameters?.(things) }
  const idOf = (name: string) => {
    const value = owned[name]
    if (value === undefined) throw new Error(`${target.key}: the owner has no ${name}`)
    return whose === 'owner' ? value : unknownId(target, name)
  }
  return Object.fromEntries(names.map(name => [name, idOf(name)]))
}

type Sent = { readonly url: string; readonly body: unknown }

function requestFor({ address, route, row }: Target, parameters: Things['ids']): Sent {
  const path = address.replaceAll(/:(\w+)/g, (_, name) =>
    encodeURIComponent(parameters[name] ?? ''),
  )
  const query = row.query?.(things)
  const url = (path || '/') + (query === undefined ? '' : `?${query}`)
  return { url, body: route.method === 'GET' ? undefined : row.body?.(things) }
}

async function call(client: ApiClient, target: Target, sent: Sent): Promise<Answer> {
  const { route, row } = target
  if (row.isLimited) served.passTime()
  const produces = [route.produces ?? []].flat()
  const headers = {
    ...(produces.length > 0 && { accept: produces.join(', ') }),
    ...row.headers?.(things),
  }
  if (row.isStream) return callStream(client.with(headers), sent.url)
  return client.call(route.method, sent.url, { body: sent.body, headers })
}

/** Checks that an answer has nothing of the owner's in it, but what was sent. */
function checkDiscreet(t: Test, { answer, sent, what }: Checked): void {
  const known = decodeURIComponent(sent.url) + JSON.stringify(sent.body)
  const headers = JSON.stringify([...answer.headers])
  for (const secret of things.secrets) {
    if (known.includes(secret)) continue
    if ((answer.text + headers).includes(secret)) t.fail(`${what}: ${secret} in ${answer.text}`)
  }
  if (answer.status >= 500) t.fail(`${what}: ${answer.status} ${answer.text}`)
}

type Checked = { readonly answer: Answer; readonly sent: Sent; readonly what: string }

/** Checks that an answer is "you may not", in the words of its dialect. */
function checkDenied(t: Test, { answer, dialect, what }: Checked & Pick<Target, 'dialect'>): void {
  const { status, body, text } = answer
  t.equal(status, dialect.denied, `${what}: ${text}`)
  if (dialect.errorEnvelope === 'designate') t.equal(body?.type, 'forbidden', what)
}

/** What can be told from an answer, apart from which id was asked for. */
function visible({ status, text }: Answer, parameters: Things['ids']): string {
  const values = Object.values(parameters).map(value => [value, encodeURIComponent(value)])
  const told = values.flat().reduce((all, value) => all.replaceAll(value, '<id>'), text)
  return `${status} ${told.replaceAll(/"request_id":"[^"]*"/g, '')}`
}

/** Whether who has this role, and what it implies, may make the call. */
function isFor(role: RoleName, { route }: Target): boolean {
  if (route.access === 'public' || route.rule === undefined) return true
  return isAllowed({ roles: withImpliedRoles([role]) }, route.rule)
}

for (const [who, client] of Object.entries(served.unknown)) {
  t.test(`with ${who} every call is 401, tells nothing and does nothing`, async t => {
    const before = served.storeState()
    for (const target of targets) {
      const sent = requestFor(target, parametersOf(target, 'owner'))
      const answer = await call(client, target, sent)
      const what = `${target.route.method} ${target.address} with ${who}`
      if (target.route.access !== 'public') t.equal(answer.status, 401, what)
      checkDiscreet(t, { answer, sent, what })
    }
    t.equal(served.storeState(), before)
  })
}

t.test('a stranger is told nothing and does nothing', async t => {
  const before = served.storeState()
  for (const target of targets) {
    if (target.row.strangerWrites === undefined) await checkStranger(t, target)
    t.equal(served.storeState(), before, target.key)
  }
})

t.test('what a stranger may write is its own, and fails on what is not', async t => {
  const { stranger } = served
  const writable = targets.filter(({ row }) => row.strangerWrites !== undefined)
  for (const target of writable) await checkStranger(t, target)
  const imports = await finishedImports(stranger)
  t.equal(imports.length, writable.filter(({ address }) => /imports?$/.test(address)).length)
  for (const { status, message } of imports) {
    t.equal(status, 'ERROR', message)
    t.notOk(things.secrets.some(secret => message.replaceAll(things.zoneName, '').includes(secret)))
  }
  t.equal((await stranger.get('/v2/zones')).body.metadata.total_count, 0)
})

async function checkStranger(t: Test, target: Target): Promise<void> {
  const sent = requestFor(target, parametersOf(target, 'owner'))
  const answer = await call(served.stranger, target, sent)
  const what = `${target.route.method} ${target.address}`
  checkDiscreet(t, { answer, sent, what })
  if (!isFor('member', target)) checkDenied(t, { answer, sent, what, ...target })
}

t.test('a stranger cannot tell what is the owner’s from what is not there', async t => {
  const asked = targets.filter(({ address, row }) => /:\w/.test(address) && !row.mayTell)
  t.ok(asked.length > 150, `${asked.length} routes`)
  for (const target of asked) {
    const [real, none] = [parametersOf(target, 'owner'), parametersOf(target, 'nobody')]
    const answers = []
    for (const parameters of [real, none]) {
      const answer = await call(served.stranger, target, requestFor(target, parameters))
      answers.push(visible(answer, parameters))
    }
    t.equal(answers[0], answers[1], `${target.route.method} ${target.address}`)
    t.match(answers[0], /^4/, `${target.route.method} ${target.address}`)
  }
})

for (const [wish, value] of [
  ['x-auth-all-projects', 'true'],
  ['x-auth-sudo-project-id', things.ids.project_id ?? ''],
  ['x-designate-edit-managed-records', 'true'],
  ['x-designate-hard-delete', 'true'],
] as const) {
  t.test(`a stranger gets no further by ${wish}`, async t => {
    const before = served.storeState()
    const client = served.stranger.with({ [wish]: value })
    for (const target of targets) {
      const { access } = target.route
      if (access === 'public' || access === 'principal') continue
      const sent = requestFor(target, parametersOf(target, 'owner'))
      const answer = await call(client, target, sent)
      const what = `${target.route.method} ${target.address} with ${wish}`
      checkDiscreet(t, { answer, sent, what })
      checkDenied(t, { answer, sent, what, ...target })
    }
    t.equal(served.storeState(), before)
  })
}

t.test('a reader does nothing, in its own project and with its own rights', async t => {
  const before = served.storeState()
  for (const target of targets) {
    const sent = requestFor(target, parametersOf(target, 'owner'))
    const answer = await call(served.reader, target, sent)
    const what = `${target.route.method} ${target.address}`
    if (!isFor('reader', target)) checkDenied(t, { answer, sent, what, ...target })
    t.ok(answer.status < 500, what)
    t.equal(served.storeState(), before, what)
  }
})

t.test('all that was tried is there, and as it was', async t => {
  const { admin, owner } = served
  for (const target of targets) {
    const { route, address, row } = target
    if (route.method !== 'GET' || !/:\w/.test(address) || row.isStream) continue
    const what = `${route.method} ${address}`
    const sent = requestFor(target, parametersOf(target, 'owner'))
    const client = /application_credentials|transfer_requests/.test(address) ? owner : admin
    const { status, text } = await call(client, target, sent)
    t.ok(status < 400, `${what}: ${status} ${text}`)
  }
  t.same(await shownOfOwner(), shownBefore)
})
