import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { Appliance } from '../../helpers/appliance.ts'
import { ClockedAppliance } from '../../helpers/clocked-appliance.ts'
import { hour } from '../../helpers/metered-server.ts'
import { queryAddresses } from '../../helpers/query.ts'
import { serverFolder } from '../../helpers/server-folder.ts'
import { until } from '../../helpers/until.ts'
import { adminPassword } from '../whole-server.ts'
import {
  addRecord,
  buildConsole,
  customer,
  go,
  openConsole,
  openZone,
  part,
  signIn,
  visit,
} from './browser.ts'

// The pictures of docs/console.md. SCREENSHOTS=docs/console writes them there; without it they are made and discarded, to
// verify that the steps to them work.

const widths = [1280, 390]
const settings = {
  ZONEWRIGHT_KEY_SECRET: 'a secret of the tests',
  ZONEWRIGHT_NAMESERVERS: 'ns1.example.net.,ns2.example.net.',
}

/** Takes a picture of what is shown, light and dark.
 *  @param settle what the page needs to change its colours, where its clock stands still */
type Shoot = (name: string, settle?: () => Promise<void>) => Promise<void>

function shootInto(t: Test, page: Page, width: number): Shoot {
  const folder = process.env.SCREENSHOTS ?? t.testdir({})
  mkdirSync(folder, { recursive: true })
  return async (name, settle) => {
    for (const theme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: theme })
      await settle?.()
      const path = join(folder, `${name}-${width}${theme === 'dark' ? '-dark' : ''}.png`)
      await page.screenshot({ path, animations: 'disabled' })
    }
  }
}

/** Zones as a small company has them. */
async function fill(server: Appliance): Promise<void> {
  const tagged: Readonly<Record<string, object>> = {
    'example.com.': { attributes: { tier: 'gold' } },
    'example.net.': { attributes: { tier: 'gold', customer: '4711' } },
  }
  const names = ['example.com.', 'example.net.', 'example.org.', '2.0.192.in-addr.arpa.']
  for (const name of [...names, 'shop.example.', 'old.example.'])
    await server.json('POST', '/v2/zones', { name, email: 'ops@example.com', ...tagged[name] })
  await server.request('DELETE', '/v2/zones/old.example.')
  const secondary = { name: 'branch.example.', type: 'SECONDARY', masters: ['127.0.0.1:9'] }
  await server.json('POST', '/v2/zones', secondary)
  await server.json('POST', '/v2/zones/example.com./changes', {
    create: [
      { name: 'www', type: 'A', records: ['192.0.2.10', '192.0.2.11'] },
      { name: 'www', type: 'AAAA', records: ['2001:db8::10'] },
      { name: '@', type: 'MX', records: ['10 mail.example.com.'] },
      { name: '@', type: 'TXT', records: ['"v=spf1 mx -all"'] },
      { name: 'mail', type: 'A', records: ['192.0.2.25'] },
      { name: '_sip._tcp', type: 'SRV', records: ['0 5 5060 sip.example.com.'] },
    ],
  })
  const { host, port } = server.endpoint()
  const { pools } = await server.json<{ pools: { id: string }[] }>('GET', '/v2/pools')
  const attributes = { check: `${host}:${port}` }
  await server.json('PATCH', `/v2/pools/${pools[0]?.id}`, { attributes })
  await server.json('POST', '/v2/tsigkeys', {
    ...{ name: 'secondaries', algorithm: 'hmac-sha256', secret: 'c2VjcmV0IG9mIHRoZSB0ZXN0cw==' },
    ...{ scope: 'POOL', resource_id: pools[0]?.id },
  })
  for (const name of ['northwind', 'fabrikam']) await customer(server, name)
}

async function shootRecords(page: Page, shoot: Shoot): Promise<void> {
  await openZone(page, 'example.com.')
  await page.getByText('v=spf1 mx -all').waitFor()
  await shoot('records')
  await addRecord(page, 'api', '192.0.2.30')
  await page.getByRole('row', { name: 'mail A' }).getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('IPv4 address').fill('192.0.2.26')
  await shoot('record')
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Review' }).click()
  await page.locator('.difference span').first().waitFor()
  await shoot('review')
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'Discard' }).click()
}

async function shootZone(page: Page, server: Appliance, shoot: Shoot): Promise<void> {
  await part(page, 'Text')
  await page.getByLabel('Zone file').waitFor()
  await shoot('text')
  await part(page, 'Access')
  await page.getByRole('button', { name: 'Add rule' }).click()
  await shoot('access')
  await part(page, 'DNSSEC')
  await page.getByRole('button', { name: 'Sign this zone' }).click()
  await page.getByRole('status').getByText('signed', { exact: true }).waitFor()
  await shoot('dnssec')
  await part(page, 'Name servers')
  await page.getByText('as stored').waitFor()
  await shoot('servers')
  for (const name of ['www', 'www', 'www', 'none'])
    await queryAddresses(server.endpoint(), `${name}.example.com.`)
  await part(page, 'Queries')
  await page.getByRole('row', { name: /^NXDOMAIN/ }).waitFor()
  await shoot('queries')
  await part(page, 'Settings')
  await page.getByText('ns1.example.net.').first().waitFor()
  await shoot('settings')
  await part(page, 'History')
  await page.locator('.entry').first().waitFor()
  await shoot('zone-history')
}

async function shootProject(page: Page, shoot: Shoot): Promise<void> {
  await go(page, 'Zones')
  await openZone(page, 'branch.example.')
  await part(page, 'Settings')
  await page.getByRole('region', { name: 'Transfers from the masters' }).waitFor()
  await shoot('secondary')
  await go(page, 'Zones')
  await page.getByRole('link', { name: 'Import' }).click()
  await page.getByLabel('Zone file').fill('$ORIGIN new.example.\n$TTL 300\nwww A 192.0.2.1\n')
  await shoot('import')
  await page.getByRole('button', { name: /^Search/ }).click()
  await page.getByLabel('Zones, names and values').fill('www')
  await page.locator('.found button').first().waitFor()
  await shoot('search')
  await page.getByRole('button', { name: 'Close' }).click()
  await go(page, 'History')
  await page.locator('.entry').first().waitFor()
  await shoot('history')
  await go(page, 'Webhooks')
  await page.getByRole('button', { name: 'Add webhook' }).click()
  await page.getByLabel('Address').fill('https://hooks.example.com/dns')
  await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('cell', { name: 'https://hooks.example.com/dns', exact: true }).waitFor()
  await shoot('webhooks')
  await go(page, 'Credentials')
  await page.getByLabel('Name', { exact: true }).fill('terraform')
  await page.getByRole('button', { name: 'Create credential' }).click()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('cell', { name: 'terraform', exact: true }).waitFor()
  await shoot('credentials')
  await page.locator('a[href="/console/account"]').click()
  await page.getByRole('button', { name: 'Set up' }).waitFor()
  await shoot('account')
}

async function shootServer(page: Page, shoot: Shoot): Promise<void> {
  await go(page, 'Accounts')
  await page.getByRole('row', { name: /northwind northwind member/ }).waitFor()
  await shoot('accounts')
  await go(page, 'Server')
  await page.getByRole('cell', { name: 'store' }).waitFor()
  await shoot('server')
  await part(page, 'Nodes and threads')
  await page.getByRole('row', { name: /^0/ }).waitFor()
  await shoot('nodes')
  for (const name of ['Pools', 'TSIG keys', 'DNSSEC policies', 'Blacklists', 'TLDs', 'Prices']) {
    await part(page, name)
    await page.locator('.data, .empty').first().waitFor()
    await shoot(name.toLowerCase().replaceAll(' ', '-'))
  }
}

const shownSeconds = 120
const lookSeconds = 2

/** Two minutes of the page's clock, with queries that come and go. */
async function shootLive(page: Page, server: Appliance, shoot: Shoot): Promise<void> {
  await page.clock.install()
  await go(page, 'Live')
  await page.locator('.figures').waitFor()
  let answered = await responsesOf(server)
  for (let passed = 0; passed < shownSeconds; passed += lookSeconds) {
    const count = Math.round(24 + 14 * Math.sin(passed / 9) + 6 * Math.sin(passed / 3))
    const names = Array.from({ length: count }, (_, at) => (at % 5 === 0 ? 'none' : 'www'))
    const asked = names.map(name => queryAddresses(server.endpoint(), `${name}.example.com.`))
    await Promise.all(asked)
    const before = answered
    answered = await until(
      () => responsesOf(server),
      now => now >= before + count,
    )
    const read = page.waitForResponse(response => response.url().endsWith('/metrics'))
    await page.clock.runFor(lookSeconds * 1000)
    await (await read).finished()
  }
  await page.getByRole('cell', { name: 'www.example.com. A' }).waitFor()
  await shoot('live', () => page.clock.runFor(100))
}

async function responsesOf(server: Appliance): Promise<number> {
  const text = await (await server.request('GET', '/metrics')).text()
  const counts = text.matchAll(/^zonewright_dns_responses_total\{.*\} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

for (const width of widths) {
  t.test(`every page is shown, ${width} wide`, async t => {
    const { page, server, complaints } = await visit(t, { width, settings })
    const shoot = shootInto(t, page, width)
    await fill(server)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await shoot('sign-in')
    await signIn(page)
    await page.getByRole('link', { name: 'example.com.' }).waitFor()
    await shoot('zones')
    await shootRecords(page, shoot)
    await shootZone(page, server, shoot)
    await shootProject(page, shoot)
    await shootServer(page, shoot)
    await page.goto(`${server.apiUrl}/console/deleted-zones`)
    await page.getByRole('row', { name: /old\.example/ }).waitFor()
    await shoot('deleted-zones')
    await shootLive(page, server, shoot)
    t.same(complaints, [])
  })
}

const days = 12

t.test('usage is shown with what it costs', async t => {
  buildConsole()
  const server = await ClockedAppliance.start({
    dataDirectory: serverFolder(t),
    nowMillis: Date.UTC(2026, 9, 1, 10),
    environment: { ZONEWRIGHT_ADMIN_PASSWORD: adminPassword },
  })
  t.teardown(() => server.kill())
  const path = '/identity/v3/projects?name=admin'
  const { projects } = await server.call<{ projects: { id: string }[] }>('GET', path)
  const projectId = projects[0]?.id ?? ''
  const rules = [
    { service: 'dns.queries', type: 'flat', cost: '20000', description: 'queries' },
    { service: 'dns.zone', type: 'flat', cost: '0.005', description: 'zones' },
  ]
  await server.call('PUT', '/v2/prices', { body: { rules } })
  await server.advance(hour)
  for (const name of ['example.com.', 'example.net.', 'shop.example.'])
    await server.call('POST', '/v2/zones', { body: { name, email: 'ops@example.com' }, projectId })
  for (let passed = 0; passed < days; passed += 1) {
    const count = Math.round(20 + 12 * Math.sin(passed / 2) + passed)
    for (let at = 0; at < count; at += 1)
      await queryAddresses(server.dns, `www.${at % 3 === 0 ? 'shop.example.' : 'example.com.'}`)
    await server.run('flush-usage')
    await server.advance(24 * hour)
    await server.run('flush-usage')
    await server.run('rate-usage')
  }
  const budget = { amount: '10.00', thresholds: [50, 80, 100] }
  await server.call('POST', '/v2/budgets', { body: budget, projectId })
  for (const width of widths) {
    const { page, complaints } = await openConsole(t, server, { width })
    await signIn(page)
    await go(page, 'Usage')
    await page.getByRole('img', { name: 'Cost by day' }).waitFor()
    await page.getByRole('row', { name: /^shop\.example\./ }).waitFor()
    await page.getByText(/of 10\.00 so far/).waitFor()
    await shootInto(t, page, width)('usage')
    await page.goto(`${server.apiUrl}/console/invoices/2026-10`)
    await page.getByRole('row', { name: /^shop\.example\..*Queries/ }).waitFor()
    await shootInto(t, page, width)('invoice')
    t.same(complaints, [])
  }
})
