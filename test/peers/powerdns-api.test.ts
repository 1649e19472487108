import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { adminToken } from '../helpers/appliance.ts'
import { type PowerDnsRequest, powerDnsRequests } from '../helpers/powerdns-requests.ts'
import { type PowerDnsApi, startPowerDnsApi } from '../helpers/powerdns-server.ts'
import { startWholeServer } from './whole-server.ts'

// The same requests to PowerDNS and to this server: the same statuses and bodies, unless a request states why not. docs/powerdns.md
// has them as a table, which is written with WRITE_PAGES=1.

const page = fileURLToPath(new URL('../../docs/powerdns.md', import.meta.url))
/** Characters of a body that are shown. */
const maxShown = 100

type Answer = { readonly status: number; readonly body: unknown }

async function ask(
  { url, key }: PowerDnsApi,
  { method, path, body }: PowerDnsRequest,
): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/servers/localhost${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : text }
}

/** Not compared: bodies of refusals, text in one and JSON in the other; values that vary with time; and those this server keeps itself. */
const volatile = ['serial', 'edited_serial', 'notified_serial', 'last_check', 'modified_at']

function comparable({ status, body }: Answer): unknown {
  return status >= 400 ? { status } : { status, body: comparableValue(body) }
}

function comparableValue(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.filter(item => key !== 'rrsets' || !isKept(item))
    const texts = items.map(item => JSON.stringify(comparableValue(item)))
    return texts.sort().map(text => JSON.parse(text))
  }
  if (typeof value !== 'object' || value === null) return key === 'kind' ? kindOf(value) : value
  const entries = Object.entries(value).filter(([name]) => !volatile.includes(name))
  const sorted = entries.sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(sorted.map(([name, each]) => [name, comparableValue(each, name)]))
}

function isKept({ name, type }: { readonly name: string; readonly type: string }): boolean {
  return type === 'SOA' || (type === 'NS' && !name.startsWith('deep.'))
}

/** Zones are not stored with the one or the other. */
function kindOf(kind: unknown): unknown {
  return kind === 'Native' ? 'Master' : kind
}

/** Keeps only the keys of the first, in lists of equal length; the second may have more. */
function within(wanted: unknown, found: unknown): unknown {
  if (Array.isArray(wanted) && Array.isArray(found) && wanted.length === found.length)
    return wanted.map((each, i) => within(each, found[i]))
  const isObject = typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted)
  if (!isObject || typeof found !== 'object' || found === null || Array.isArray(found)) return found
  const own = found as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(wanted).map(([name, each]) => [name, within(each, own[name])]),
  )
}

t.test('the same requests have the same answers, but where they are said to differ', async t => {
  const { server } = await startWholeServer(t)
  const own = { url: server.apiUrl, key: adminToken }
  const peer = await startPowerDnsApi(t)
  t.ok(powerDnsRequests.length >= 200, `${powerDnsRequests.length} requests`)
  const rows: string[] = []
  for (const request of powerDnsRequests) {
    const [theirs, ours] = [await ask(peer, request), await ask(own, request)]
    const wanted = comparable(theirs)
    const found = within(wanted, comparable(ours))
    rows.push(rowOf(request, theirs.status, ours.status))
    const what = `${request.method} ${request.path} ${JSON.stringify(request.body)}`
    if (request.differs === undefined) t.same(found, wanted, what)
    else t.notSame(found, wanted, `${request.differs}: ${what}`)
  }
  const wanted = withTable(readFileSync(page, 'utf8'), rows)
  if (process.env.WRITE_PAGES === '1') writeFileSync(page, wanted)
  t.equal(readFileSync(page, 'utf8'), wanted, 'WRITE_PAGES=1 npm run test:peers -- powerdns-api')
})

function rowOf({ method, path, body, differs }: PowerDnsRequest, theirs: number, ours: number) {
  const text = body === undefined ? '' : JSON.stringify(body)
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
  const cells = [
    `\`${`${method} ${path}`.trim()}\``,
    shown && `\`${shown}\``,
    theirs,
    ours,
    differs ?? 'the same',
  ]
  return `| ${cells.map(cell => `${cell}`.replaceAll('|', '\\|')).join(' | ')} |`
}

/** A page with another table of requests. */
function withTable(text: string, rows: readonly string[]): string {
  const heading = '| Request | Body | PowerDNS | Zonewright | Answers |\n|---|---|---|---|---|'
  return text.replace(/^\| Request \|.*\n(?:\|.*\n)*/m, () => [heading, ...rows, ''].join('\n'))
}
