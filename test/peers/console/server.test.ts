import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import t from 'tap'
import { adminToken } from '../../helpers/appliance.ts'
import { customer, go, more, openZone, part, signIn, visit } from './browser.ts'

const run = promisify(execFile)

t.test('pools, keys, blacklists and TLDs are made, changed and deleted', async t => {
  const { page, server, complaints } = await visit(t)
  await signIn(page)
  await go(page, 'Server')
  await part(page, 'Blacklists')
  await page.getByText('every name is allowed').waitFor()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByLabel('Pattern').fill('(?=x)')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Pattern').fill('^admin\\.')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: '^admin\\.', exact: true }).waitFor()
  const refused = { name: 'admin.example.com.', email: 'ops@example.com' }
  t.equal((await server.request('POST', '/v2/zones', refused)).status, 400)
  await page.getByRole('button', { name: 'Delete ^admin\\.' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('every name is allowed').waitFor()

  await part(page, 'TSIG keys')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByLabel('Name').fill('secondaries')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: 'secondaries', exact: true }).waitFor()

  await part(page, 'Pools')
  await page.getByRole('button', { name: 'Edit default' }).click()
  const servers = page.getByLabel('Name servers, one per line')
  await servers.fill('10 ns1.example.net.\n20 ns2.example.net.')
  await page.getByLabel('May transfer all its zones').fill('key:secondaries')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: 'ns1.example.net., ns2.example.net.' }).waitFor()

  await part(page, 'TSIG keys')
  await page.getByRole('button', { name: 'Delete secondaries' }).click()
  await page.getByRole('listitem').getByText('Pool default: may transfer').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No keys yet.').waitFor()
  t.same(complaints, [])
})

t.test('a key is listed with the name of its zone, in any project', async t => {
  const { page, server, complaints } = await visit(t)
  const ofAnn = {
    'x-auth-token': adminToken,
    'x-auth-sudo-project-id': await customer(server, 'ann'),
  }
  const made = await fetch(`${server.apiUrl}/v2/zones`, {
    method: 'POST',
    headers: { ...ofAnn, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'example.com.', email: 'ops@example.com' }),
  })
  const { id } = (await made.json()) as { id: string }
  const key = { name: 'acme', algorithm: 'hmac-sha256', secret: 'c2VjcmV0', scope: 'ZONE' }
  await server.json('POST', '/v2/tsigkeys', { ...key, resource_id: id })
  await signIn(page)
  await go(page, 'Server')
  await part(page, 'TSIG keys')
  await page.getByRole('cell', { name: 'Zone example.com.', exact: true }).waitFor()
  await fetch(`${server.apiUrl}/v2/zones/${id}`, { method: 'DELETE', headers: ofAnn })
  await page.reload()
  await page.getByRole('cell', { name: `Zone ${id}`, exact: true }).waitFor()
  t.same(complaints, [])
})

t.test('the store is checked and backed up', async t => {
  const { page, complaints } = await visit(t)
  await signIn(page)
  await go(page, 'Server')
  await page.getByText('Ready: DNS and API serve what is stored.').waitFor()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('No problems found').waitFor()
  const downloaded = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Back up now' }).click()
  t.equal((await downloaded).suggestedFilename(), 'zonewright.tar')
  t.same(complaints, [])
})

t.test('events are posted where a project says, and what failed is sent again', async t => {
  const settings = { ZONEWRIGHT_OUTBOUND_NETWORKS: '127.0.0.0/8' }
  const { page, server, complaints } = await visit(t, { settings })
  let status = 503
  const receiver = createServer((_request, response) => response.writeHead(status).end())
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
  t.teardown(() => receiver.close())
  await signIn(page)
  await go(page, 'Webhooks')
  await page.getByText('No webhooks yet.').waitFor()
  await page.getByRole('button', { name: 'Add webhook' }).click()
  await page.getByLabel('Address').fill('not an address')
  await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click()
  await page.getByRole('alert').waitFor()
  const { port } = receiver.address() as AddressInfo
  await page.getByLabel('Address').fill(`http://127.0.0.1:${port}/`)
  await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click()
  await page.getByText('shown only once').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  const isFailed = async () => {
    await page.getByRole('button', { name: 'Deliveries' }).click()
    await page.getByRole('dialog').locator('table, p').first().waitFor()
    return (await page.getByText('will be retried').count()) > 0
  }
  while (!(await isFailed())) await page.getByRole('button', { name: 'Close' }).click()
  status = 204
  await page
    .getByRole('button', { name: /^Send again/ })
    .last()
    .click()
  await page.getByText('delivered', { exact: true }).first().waitFor()
  t.same(complaints, [])
})

t.test('a zone that was deleted is back by a click, and later from the list', async t => {
  const { page, server, complaints } = await visit(t)
  const zone = { name: 'example.com.', email: 'ops@example.com' }
  const { id } = await server.json<{ id: string }>('POST', '/v2/zones', zone)
  await signIn(page)
  const deleteIt = async () => {
    await part(page, 'Settings')
    await page.getByRole('button', { name: 'Delete zone' }).click()
    await page.getByLabel('Name', { exact: true }).fill('example.com.')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete zone' }).click()
    await page.getByText('example.com. is deleted.').waitFor()
  }
  await openZone(page, 'example.com.')
  await deleteIt()
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'example.com.' }).waitFor()
  t.equal((await server.request('GET', `/v2/zones/${id}`)).status, 200)
  await deleteIt()
  await more(page, 'Deleted zones')
  await page.getByRole('button', { name: 'Restore example.com.' }).click()
  await page.getByRole('heading', { name: 'example.com.' }).waitFor()
  t.equal((await server.request('GET', `/v2/zones/${id}`)).status, 200)
  t.same(complaints, [])
})

t.test('a month has a budget, and is shown as an invoice and saved', async t => {
  const { page, complaints } = await visit(t)
  await signIn(page)
  await go(page, 'Usage')
  await page.getByLabel('Amount per month').fill('nothing')
  await page.getByRole('button', { name: 'Set budget' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Amount per month').fill('50.00')
  await page.getByRole('button', { name: 'Set budget' }).click()
  await page.getByText(/of 50.00 so far/).waitFor()
  await page.getByRole('link', { name: 'Invoice' }).click()
  await page.getByRole('heading', { name: /^Total/ }).waitFor()
  const downloaded = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as CSV' }).click()
  t.match((await downloaded).suggestedFilename(), /^admin-\d{4}-\d\d\.csv$/)
  t.same(complaints, [])
})

t.test('a zone shows what was asked of it, by the command that it offers', async t => {
  const { page, server, complaints } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await signIn(page)
  await openZone(page, 'example.com.')
  await part(page, 'Queries')
  const offered = page.locator('.copy pre', { hasText: /^dig / })
  const [program = '', ...words] = (await offered.innerText()).split(' ')
  // One that was sent again would be counted again.
  const once = ['+tries=1', '+timeout=100']
  const { stdout } = await run(program, [...words, ...once])
  t.match(stdout, /status: NOERROR[\s\S]+ops\.example\.com\./)
  await page.getByRole('heading', { name: '1 response', exact: true }).waitFor()
  await page.getByRole('row', { name: /^NOERROR 1/ }).waitFor()
  const none = [...words.slice(0, -2), 'none.example.com.', 'A']
  await run(program, [...none, ...once])
  await page.getByRole('heading', { name: '2 responses', exact: true }).waitFor()
  await page.getByRole('row', { name: /^NXDOMAIN 1/ }).waitFor()
  await page.getByRole('row', { name: /^udp 2/ }).waitFor()
  t.same(complaints, [])
})

t.test('prices are tried out on a month before they are saved', async t => {
  const { page, server, complaints } = await visit(t)
  const begin = `${new Date().toISOString().slice(0, 8)}01T00:00:00Z`
  const usage = {
    vol: { unit: 'Mquery', qty: 3 },
    rating: { price: 1.5 },
    groupby: { project_id: 'customer' },
    metadata: {},
  }
  const frame = { period: { begin, end: begin }, usage: { 'dns.queries': [usage] } }
  await server.request('POST', '/v2/dataframes', { dataframes: [frame] })
  await signIn(page)
  await go(page, 'Server')
  await part(page, 'Prices')
  await page.getByText('Everything is free so far.').waitFor()
  await page.getByRole('button', { name: 'Add a price' }).click()
  const price = page.getByRole('group', { name: 'Price list, price 1' })
  await price.getByLabel('Metric').selectOption('dns.queries')
  await price.getByLabel('Amount').fill('much')
  await page.getByRole('button', { name: 'Save prices' }).click()
  await page.getByRole('alert').filter({ hasText: 'rules.0.cost' }).waitFor()
  await price.getByLabel('Amount').fill('0.40')
  await page.getByLabel('Month', { exact: true }).selectOption(begin.slice(0, 7))
  await page.getByRole('button', { name: 'Calculate' }).click()
  // Usage that another party has priced keeps its price.
  await page.getByRole('row', { name: 'customer 1.50 1.50' }).waitFor()
  t.match(await server.json('GET', '/v2/prices'), { rules: { length: 0 } }, 'nothing has changed')
  await page.getByRole('button', { name: 'Save prices' }).click()
  await page.getByText('Prices saved.').waitFor()
  const rules = [{ service: 'dns.queries', type: 'flat', cost: '0.4', description: '' }]
  t.match(await server.json('GET', '/v2/prices'), { rules, other_rules: 0 })
  await page.reload()
  await price.getByRole('button', { name: 'Delete price 1' }).click()
  await page.getByText('Everything is free so far.').waitFor()
  t.same(complaints, [])
})

t.test('a zone shows what its name servers answer beside what is stored', async t => {
  const { page, server, complaints } = await visit(t)
  const create = [{ name: 'www', type: 'A', records: ['192.0.2.1', '192.0.2.2'] }]
  const { host, port } = server.endpoint()
  const { pools } = await server.json<{ pools: { id: string }[] }>('GET', '/v2/pools')
  // Nothing listens on port 1.
  const attributes = { check: `${host}:${port}`, also_notify: '127.0.0.1:1' }
  await server.json('PATCH', `/v2/pools/${pools[0]?.id}`, { attributes })
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await server.json('POST', '/v2/zones/example.com./changes', { create })
  await signIn(page)
  await openZone(page, 'example.com.')
  await part(page, 'Name servers')
  const answered = page.getByRole('table', { name: 'Answered' })
  await answered.getByRole('row', { name: /ns1\..*no answer.*no address/ }).waitFor()
  await answered.getByRole('row', { name: /127\.0\.0\.1.*as stored.*ops\.example\.com/ }).waitFor()
  await answered.getByRole('row', { name: /no answer.*nothing listens there/ }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('www')
  await page.getByLabel('Type').last().selectOption('A')
  await page.getByRole('button', { name: 'Ask now' }).click()
  await answered.getByRole('row', { name: /as stored.*192\.0\.2\.1.*192\.0\.2\.2/ }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('none')
  await page.getByRole('button', { name: 'Ask now' }).click()
  await page.getByText('There is no such record set.').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('www.example.org.')
  await page.getByRole('button', { name: 'Ask now' }).click()
  await page.getByRole('alert').getByText('is not in the zone').waitFor()
  t.same(complaints, [])
})
