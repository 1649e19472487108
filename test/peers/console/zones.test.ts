import t from 'tap'
import { queryAddresses } from '../../helpers/query.ts'
import {
  addRecord,
  adminProject,
  apply,
  awaitedValue,
  go,
  more,
  openZone,
  part,
  signIn,
  untrustedName,
  visit,
} from './browser.ts'

t.test('from the first visit to the first answer, by clicks alone', async t => {
  const { page, server, complaints } = await visit(t)
  t.equal(new URL(page.url()).pathname, '/console/')
  await signIn(page, { password: 'not the password' })
  await page.getByRole('alert').waitFor()
  await signIn(page)
  await page.getByText('No zones yet').waitFor()

  await page.getByRole('button', { name: 'New zone' }).click()
  await page.getByLabel('Name', { exact: true }).fill('example.com')
  await page.getByLabel('E-mail').fill('nobody')
  await page.getByRole('button', { name: 'Create zone' }).click()
  await page.getByText('it needs exactly one @').waitFor()
  await page.getByLabel('E-mail').fill('ops@example.com')
  await page.getByRole('button', { name: 'Create zone' }).click()
  await page.getByRole('heading', { name: 'example.com.' }).waitFor()

  await addRecord(page, 'www', '192.0.2.1')
  t.same(
    await queryAddresses(server.endpoint(), 'www.example.com.'),
    [],
    'not before it is applied',
  )
  t.same(await apply(page), ['+www.example.com. 3600 IN A 192.0.2.1'])
  t.same(await queryAddresses(server.endpoint(), 'www.example.com.'), ['192.0.2.1'])
  t.same(complaints, [])
})

t.test('what the server refuses is said at the field, and is mended there', async t => {
  const { page, server } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await signIn(page)
  await openZone(page, 'example.com.')
  await page.getByRole('button', { name: 'Add record' }).click()
  await page.getByLabel('Type').last().selectOption('MX')
  await page.getByLabel('Priority').fill('many')
  await page.getByLabel('Mail server').fill('mail')
  await page.getByRole('alert').first().waitFor()
  t.ok(await page.getByRole('button', { name: 'Done' }).isDisabled())
  await page.getByLabel('Priority').fill('10')
  await page.getByRole('alert').first().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Done' }).click()
  t.same(await apply(page), ['+example.com. 3600 IN MX 10 mail.example.com.'])
  await part(page, 'Settings')
  await page.getByLabel('TTL in seconds').fill('an hour')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('integer').waitFor()
})

t.test('over plain HTTP from another machine records are edited, too', async t => {
  const { page, server } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await page.goto(`${server.apiUrl.replace('127.0.0.1', untrustedName)}/console/`)
  t.equal(await page.evaluate('isSecureContext'), false)
  await signIn(page)
  await openZone(page, 'example.com.')
  await addRecord(page, 'www', '192.0.2.1')
  t.same(await apply(page), ['+www.example.com. 3600 IN A 192.0.2.1'])
})

t.test('what does not reach the server, or is gone from it, is said', async t => {
  const { page, server } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await signIn(page)
  await openZone(page, 'example.com.')
  await addRecord(page, 'www', '192.0.2.1')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('alert').getByText('The server does not answer.').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'Discard' }).click()

  await page.route(/assets\/history.*\.js$/, route => route.fulfill({ status: 404 }), { times: 1 })
  await go(page, 'History')
  await page.getByText('This page could not be loaded').waitFor()
  await page.getByRole('button', { name: 'Load again' }).click()
  await page.getByRole('heading', { name: 'History' }).waitFor()
  t.equal(new URL(page.url()).pathname, '/console/history', 'the page that was wanted')
})

t.test('values and TTLs are edited in their rows, by the keyboard alone', async t => {
  const { page, server, complaints } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  const create = [
    { name: 'a', type: 'A', records: ['192.0.2.1'] },
    { name: 'b', type: 'MX', records: ['10 mail.example.com.'] },
  ]
  await server.json('POST', '/v2/zones/example.com./changes', { create })
  await signIn(page)
  await openZone(page, 'example.com.')
  const cell = (name: string) => page.getByRole('button', { name, exact: true })
  const field = (label: string) => page.locator(`.cell-editor input[aria-label="${label}"]:focus`)

  await cell('Values of a A: 192.0.2.1').press('Enter')
  await field('IPv4 address').fill('nowhere')
  await page.locator('.cell-editor').getByRole('alert').waitFor()
  await field('IPv4 address').press('Escape')
  await page.locator('[aria-label="Values of a A: 192.0.2.1"]:focus').waitFor()
  await page.keyboard.press('Enter')
  await field('IPv4 address').fill('192.0.2.2')
  await field('IPv4 address').press('Shift+Enter')
  await field('IPv4 address 2').fill('192.0.2.3')
  await field('IPv4 address 2').press('Tab')
  await field('TTL').fill('60')
  await field('TTL').press('Tab')
  await field('Priority').fill('20')
  await field('Priority').press('Tab')
  await field('Mail server').fill('mx')
  await field('Mail server').press('Enter')
  const changed = page.locator('[aria-label="Values of b MX: 20 mx.example.com."]:focus')
  await changed.waitFor()
  await changed.press('ArrowUp')
  await page.locator('[aria-label="Values of a A: 192.0.2.2, 192.0.2.3"]:focus').waitFor()
  t.same([...(await apply(page))].sort(), [
    '+a.example.com. 3600 IN A 192.0.2.2',
    '+a.example.com. 3600 IN A 192.0.2.3',
    '+b.example.com. 60 IN MX 20 mx.example.com.',
    '-a.example.com. 3600 IN A 192.0.2.1',
    '-b.example.com. 3600 IN MX 10 mail.example.com.',
  ])
  t.same(complaints, [])
})

t.test('what was changed and not applied stays while other pages are looked at', async t => {
  const { page, server } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await signIn(page)
  await openZone(page, 'example.com.')
  await addRecord(page, 'www', '192.0.2.1')
  await go(page, 'Usage')
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  await go(page, 'Zones')
  await openZone(page, 'example.com.')
  await page.getByText('1 change not applied').waitFor()
  t.same(await apply(page), ['+www.example.com. 3600 IN A 192.0.2.1'])
})

t.test('many rows are changed and deleted as one change, and that is undone', async t => {
  const { page, server } = await visit(t)
  const names = ['a', 'b', 'c', 'd']
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  const create = names.map(name => ({ name, type: 'A', records: ['192.0.2.1'] }))
  await server.json('POST', '/v2/zones/example.com./changes', { create })
  await signIn(page)
  await openZone(page, 'example.com.')
  for (const name of ['a', 'b']) await page.getByLabel(`Select ${name} A`).check()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('row', { name: 'c A' }).getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('IPv4 address').fill('192.0.2.9')
  await page.getByRole('button', { name: 'Done' }).click()
  t.same([...(await apply(page))].sort(), [
    '+c.example.com. 3600 IN A 192.0.2.9',
    '-a.example.com. 3600 IN A 192.0.2.1',
    '-b.example.com. 3600 IN A 192.0.2.1',
    '-c.example.com. 3600 IN A 192.0.2.1',
  ])
  const asked = names.map(name => queryAddresses(server.endpoint(), `${name}.example.com.`))
  t.same(await Promise.all(asked), [[], [], ['192.0.2.9'], ['192.0.2.1']])
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  const again = names.map(name => queryAddresses(server.endpoint(), `${name}.example.com.`))
  t.same(await Promise.all(again), Array(4).fill(['192.0.2.1']))
})

t.test('rows are copied from one zone, pasted into another, and given a TTL together', async t => {
  const { page, server, complaints } = await visit(t)
  for (const name of ['example.com.', 'example.org.'])
    await server.json('POST', '/v2/zones', { name, email: 'ops@example.com' })
  const create = [
    { name: 'a', type: 'A', records: ['192.0.2.1', '192.0.2.2'] },
    { name: 'b', type: 'TXT', ttl: 60, records: ['"two  blanks; and no comment"'] },
  ]
  await server.json('POST', '/v2/zones/example.com./changes', { create })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page)
  await openZone(page, 'example.com.')
  await page.getByLabel('Select a A').check()
  await page.getByLabel('Select b TXT').check()
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByText('Copied.').waitFor()
  const lines = String(await page.evaluate('navigator.clipboard.readText()'))
  await go(page, 'Zones')
  await openZone(page, 'example.org.')
  await more(page, 'Paste records')
  await page.getByLabel('Lines').fill(`${lines}\nnonsense`)
  await page.getByText('Line 4 is not a record: nonsense').waitFor()
  await page.getByLabel('Lines').fill(lines)
  await page.getByRole('button', { name: 'Add 2 recordsets' }).click()
  t.same([...(await apply(page))].sort(), [
    '+a.example.org. 3600 IN A 192.0.2.1',
    '+a.example.org. 3600 IN A 192.0.2.2',
    '+b.example.org. 60 IN TXT "two  blanks; and no comment"',
  ])
  await page.getByLabel('Select a A').check()
  await page.getByRole('button', { name: 'Set TTL' }).click()
  await page.getByLabel('TTL of the selected records').fill('120')
  await page.getByRole('button', { name: 'Done' }).click()
  t.equal((await apply(page)).filter(line => line.includes(' 120 IN A ')).length, 2)
  t.same(complaints, [])
})

t.test('a zone is edited as a zone file, and from a template', async t => {
  const { page, server, complaints } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await signIn(page)
  await openZone(page, 'example.com.')
  await more(page, 'No mail')
  t.equal((await apply(page)).length, 3)
  await part(page, 'Text')
  const text = page.getByLabel('Zone file')
  const before = await awaitedValue(text, value => value.includes('v=spf1 -all'))
  const lines = `${before}\nwww 60 IN A 192.0.2.7\n`
  await text.fill(lines)
  // What was typed is there again after a look at another part, and at another page.
  await part(page, 'History')
  await page.locator('.entry').first().waitFor()
  await go(page, 'Usage')
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  await go(page, 'Zones')
  await openZone(page, 'example.com.')
  await part(page, 'Text')
  await awaitedValue(text, value => value === lines)
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('New: 1', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Imported.').waitFor()
  t.same(await queryAddresses(server.endpoint(), 'www.example.com.'), ['192.0.2.7'])
  t.same(complaints, [])
})

t.test('zones are tagged, and found by their tags', async t => {
  const { page, server, complaints } = await visit(t)
  for (const name of ['example.com.', 'example.org.'])
    await server.json('POST', '/v2/zones', { name, email: 'ops@example.com' })
  await signIn(page)
  await openZone(page, 'example.com.')
  await part(page, 'Settings')
  await page.getByLabel('Tags, one per line').fill('tier: gold\ncustomer: 4711')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('link', { name: 'customer: 4711' }).waitFor()
  await page.getByRole('link', { name: 'tier: gold' }).click()
  await page.getByText('1 of 1').waitFor()
  await awaitedValue(page.getByLabel('Filter by name'), value => value === 'tier:gold')
  await page.getByRole('link', { name: 'example.com.', exact: true }).waitFor()
  await page.getByLabel('Filter by name').fill('')
  await page.getByText('2 of 2').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByLabel('Zones, names and values').fill('4711')
  await page.locator('.found button').filter({ hasText: 'example.com.' }).click()
  await page.getByRole('heading', { name: 'example.com.' }).waitFor()
  await part(page, 'Settings')
  await page.getByLabel('Tags, one per line').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name: 'tier: gold' }).waitFor({ state: 'detached' })
  t.match(await server.json('GET', '/v2/zones?name=example.com.'), { zones: [{ attributes: {} }] })
  t.same(complaints, [])
})

t.test('a record that was searched for is shown, and it alone', async t => {
  const { page, server, complaints } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  const create = ['www', 'a.www', 'wwww', 'mail'].map((name, at) => ({
    ...{ name, type: 'A', records: [`192.0.2.${at + 1}`] },
  }))
  await server.json('POST', '/v2/zones/example.com./changes', { create })
  await signIn(page)
  const rows = page.getByLabel('Records', { exact: true }).getByRole('row')
  const find = async (text: string, found: string) => {
    await page.keyboard.press('Control+k')
    await page.getByLabel('Zones, names and values').fill(text)
    await page.locator('.found button').filter({ hasText: found }).click()
    await page.getByRole('heading', { name: 'example.com.' }).waitFor()
  }
  await page.getByRole('link', { name: 'example.com.', exact: true }).waitFor()
  await find('192.0.2.1', 'www.example.com. A 192.0.2.1')
  await page.getByText('1 of 1').waitFor()
  t.match(await rows.nth(1).innerText(), /^\s*www\s+A\s/)
  await page.getByLabel('Type').selectOption('A')
  await part(page, 'History')
  await page.locator('.entry').first().waitFor()
  await part(page, 'Records')
  await page.getByText('1 of 1').waitFor()
  await find('192.0.2.4', 'mail.example.com. A 192.0.2.4')
  await page.getByRole('cell', { name: 'mail', exact: true }).waitFor()
  const filter = page.getByPlaceholder('Filter by name')
  t.equal(await filter.inputValue(), 'mail.example.com.')
  await filter.fill('')
  await filter.pressSequentially('www')
  await page.getByText('3 of 3').waitFor()
  t.same(complaints, [])
})

t.test('of two who edit one record the second is asked to look, and nothing is lost', async t => {
  const { page, server } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  const draft = { name: 'www', type: 'A', records: ['192.0.2.1'] }
  const { id } = await server.json<{ id: string }>(
    'POST',
    '/v2/zones/example.com./recordsets',
    draft,
  )
  await signIn(page)
  await openZone(page, 'example.com.')
  await page.getByRole('row', { name: 'www A' }).getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('IPv4 address').fill('192.0.2.2')
  await page.getByRole('button', { name: 'Done' }).click()
  await server.json('PUT', `/v2/zones/example.com./recordsets/${id}`, { records: ['192.0.2.3'] })
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByText('Somebody else has changed these records').waitFor()
  t.ok(await page.getByRole('button', { name: 'Apply' }).isDisabled())
  t.same(await queryAddresses(server.endpoint(), 'www.example.com.'), ['192.0.2.3'])
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByText('1 change not applied').waitFor()
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('button', { name: 'Compare with the current records' }).click()
  await page.getByText('192.0.2.3', { exact: false }).first().waitFor()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Applied.').waitFor()
  t.same(await queryAddresses(server.endpoint(), 'www.example.com.'), ['192.0.2.2'])
})

t.test('a session that ends loses nothing that was typed', async t => {
  const { page, server } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await signIn(page)
  await openZone(page, 'example.com.')
  await addRecord(page, 'www', '192.0.2.1')
  await page.evaluate(async () => {
    const { token } = JSON.parse(sessionStorage.getItem('zonewright.session') ?? '{}')
    const headers = { 'x-auth-token': token, 'x-subject-token': token }
    await fetch('/identity/v3/auth/tokens', { method: 'DELETE', headers })
  })
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByText('Your session has ended').waitFor()
  const dialog = page.getByRole('dialog', { name: 'Sign in to Zonewright' })
  t.equal(await dialog.getByLabel('User', { exact: true }).inputValue(), 'admin')
  await dialog.locator('input[type=password]:focus').waitFor()
  await signIn(page)
  await page.locator('.difference span').first().waitFor()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Applied.').waitFor()
  t.same(await queryAddresses(server.endpoint(), 'www.example.com.'), ['192.0.2.1'])
})

t.test('ten thousand records are pasted, checked, imported, and scrolled through', async t => {
  const { page, server, complaints } = await visit(t)
  const quotas = { zone_recordsets: -1, zone_records: -1 }
  await server.json('PATCH', `/v2/quotas/${await adminProject(server)}`, quotas)
  await signIn(page)
  await page.getByRole('link', { name: 'Import' }).click()
  const lines = Array.from(
    { length: 10_000 },
    (_, i) => `h${String(i).padStart(5, '0')} A 192.0.2.1`,
  )
  const soa = '@ SOA ns.example.net. ops.example.net. 1 2 3 4 5'
  const file = ['$ORIGIN example.org.', '$TTL 60', soa, ...lines].join('\n')
  await page.getByLabel('Choose a file').setInputFiles({
    name: 'example.org.zone',
    mimeType: 'text/dns',
    buffer: Buffer.from(file),
  })
  t.ok(await page.getByRole('button', { name: 'Import' }).isDisabled(), 'not before it is checked')
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('New: 10000', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByRole('link', { name: 'Open the zone' }).click()
  await page.getByText('of 10002').waitFor()
  const table = page.getByLabel('Records', { exact: true })
  while ((await page.getByText('h09999').count()) === 0) {
    await table.evaluate(element => element.scrollBy(0, 4000))
    await page.evaluate('new Promise(requestAnimationFrame)')
  }
  t.ok((await table.getByRole('row').count()) < 200, 'only what is on the screen is in the page')
  t.same(complaints, [])
})

t.test('what a check has found is shown only of the file as it is', async t => {
  const { page } = await visit(t)
  await signIn(page)
  await page.getByRole('link', { name: 'Import' }).click()
  const file = '$ORIGIN example.org.\n@ 60 SOA ns.example.net. ops.example.net. 1 2 3 4 5\n'
  const field = page.getByLabel('Zone file')
  const found = page.getByText('New: 1', { exact: true })
  await field.fill(`${file}www 60 A 192.0.2.1`)
  await page.getByRole('button', { name: 'Check' }).click()
  await found.waitFor()
  await field.fill(`${file}www 60 A nonsense`)
  await found.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('Malformed zonefile').waitFor()
  t.equal(await found.count(), 0)
})

t.test('a file without $ORIGIN is imported as the zone that is named beside it', async t => {
  const { page, server, complaints } = await visit(t)
  await signIn(page)
  await page.getByRole('link', { name: 'Import' }).click()
  const file = '@ 60 SOA ns.example.net. ops.example.net. 1 2 3 4 5\nwww 60 A 192.0.2.1\n'
  const field = page.getByLabel('Zone file')
  await field.fill(file)
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('The $ORIGIN statement is required').waitFor()
  const { height = 0 } = (await field.boundingBox()) ?? {}
  t.ok(height > 200, 'the error leaves room for the file')
  await go(page, 'History')
  await page.getByRole('heading', { name: 'History' }).waitFor()
  await page.goBack()
  await awaitedValue(field, value => value === file)
  await page.getByLabel('Zone, if the file has no $ORIGIN').fill('example.org')
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('New: 1', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByRole('link', { name: 'Open the zone' }).click()
  await page.getByRole('heading', { name: 'example.org.', exact: true }).waitFor()
  t.same(await queryAddresses(server.endpoint(), 'www.example.org.'), ['192.0.2.1'])
  t.same(complaints, [])
})

t.test('a server that does not answer is not taken for one without zones', async t => {
  const { page, complaints } = await visit(t)
  await signIn(page)
  await page.getByText('No zones yet.').waitFor()
  const answers = [
    () => page.route('**/v2/**', route => route.abort()),
    () => page.route('**/v2/**', route => route.fulfill({ status: 502, body: '<html>' })),
  ]
  for (const answer of answers) {
    await go(page, 'History')
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await answer()
    await go(page, 'Zones')
    await page.getByText('The server does not answer.').waitFor()
    t.equal(await page.getByText('No zones yet.').count(), 0)
    await page.unroute('**/v2/**')
  }
  t.same(complaints, [])
})
