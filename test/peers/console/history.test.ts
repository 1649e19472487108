import t from 'tap'
import { queryAddresses } from '../../helpers/query.ts'
import {
  addRecord,
  apply,
  customer,
  customerPassword,
  go,
  openZone,
  part,
  signIn,
  visit,
} from './browser.ts'

t.test('what was applied is undone from where that is said', async t => {
  const { page, server, complaints } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await signIn(page)
  await openZone(page, 'example.com.')
  await addRecord(page, 'www', '192.0.2.1')
  await apply(page)
  t.same(await queryAddresses(server.endpoint(), 'www.example.com.'), ['192.0.2.1'])
  await addRecord(page, 'typed', '192.0.2.2')
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  t.same(await queryAddresses(server.endpoint(), 'www.example.com.'), [])
  await page.getByRole('cell', { name: 'www', exact: true }).waitFor({ state: 'detached' })
  await page.getByText('1 change not applied').waitFor()
  t.same(complaints, [])
})

t.test('who changed what is shown, and an older change is undone after a look', async t => {
  const { page, server, complaints } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  for (const [name, address] of [
    ['a', '192.0.2.1'],
    ['b', '192.0.2.2'],
    ['c', '192.0.2.3'],
  ]) {
    const create = [{ name, type: 'A', records: [address] }]
    await server.json('POST', '/v2/zones/example.com./changes', { create })
  }
  await signIn(page)
  await openZone(page, 'example.com.')
  await part(page, 'History')
  const entries = page.locator('.entry')
  await entries.nth(3).waitFor()
  const last = entries.first()
  for (const text of [/admin.+over the API/s, /1 added, 0 removed.+c\.example\.com\. IN A/s])
    await last.filter({ hasText: text }).waitFor()

  await page.getByLabel('Recordset name').fill('b.')
  await page.getByText('c.example.com.').waitFor({ state: 'detached' })
  await entries.first().getByRole('button', { name: 'Undo' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('-b.example.com. 3600 IN A 192.0.2.2').waitFor()
  t.same(await queryAddresses(server.endpoint(), 'b.example.com.'), ['192.0.2.2'], 'not yet')
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  t.same(await queryAddresses(server.endpoint(), 'b.example.com.'), [])

  await page.getByLabel('Recordset name').fill('')
  await entries.nth(4).waitFor()
  const third = entries.nth(3).getByRole('button', { name: /Go back/ })
  await third.click()
  const lines = dialog.locator('.difference span')
  await lines.nth(1).waitFor()
  t.same([...(await lines.allInnerTexts())].map(line => line.trim()).sort(), [
    '-a.example.com. 3600 IN A 192.0.2.1',
    '-c.example.com. 3600 IN A 192.0.2.3',
  ])
  await dialog.getByRole('button', { name: 'Go back' }).click()
  await entries.nth(5).waitFor()
  t.same(await queryAddresses(server.endpoint(), 'a.example.com.'), [])
  t.same(complaints, [])
})

t.test('a change that another one has overtaken is not undone', async t => {
  const { page, server } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  const replace = (address: string) =>
    server.json('POST', '/v2/zones/example.com./changes', {
      replace: [{ name: 'www', type: 'A', records: [address] }],
    })
  await replace('192.0.2.1')
  await replace('192.0.2.2')
  await replace('192.0.2.3')
  await signIn(page)
  await openZone(page, 'example.com.')
  await part(page, 'History')
  await page.locator('.entry').nth(1).getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('alert').getByText('www.example.com.').waitFor()
  t.ok(await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).isDisabled())
  t.same(await queryAddresses(server.endpoint(), 'www.example.com.'), ['192.0.2.3'])
})

t.test('administrators see what was done on the whole server', async t => {
  const { page, server, complaints } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await server.json('POST', '/identity/v3/projects', { project: { name: 'customers' } })
  await signIn(page)
  await go(page, 'History')
  await page.getByRole('link', { name: 'example.com.' }).waitFor()
  await page.getByText('created project', { exact: true }).first().waitFor()
  t.same(complaints, [])
})

t.test('a member sees what was done in the zones of the project, and undoes it', async t => {
  const { page, server, complaints } = await visit(t)
  const zone = { name: 'example.org.', email: 'ops@example.org' }
  await server.json('POST', '/v2/zones', zone)
  await customer(server, 'ann')
  await signIn(page, { user: 'ann', password: customerPassword })
  await page.getByRole('button', { name: 'New zone' }).click()
  await page.getByLabel('Name', { exact: true }).fill('example.com')
  await page.getByLabel('E-mail').fill('ann@example.com')
  await page.getByRole('button', { name: 'Create zone' }).click()
  await page.getByRole('heading', { name: 'example.com.' }).waitFor()
  await addRecord(page, 'www', '192.0.2.1')
  await apply(page)
  await go(page, 'History')
  await page.getByText('the zones of the project ann').waitFor()
  const entries = page.locator('.entry')
  await entries
    .nth(1)
    .filter({ hasText: /ann.+created example\.com\./s })
    .waitFor()
  await entries.first().getByRole('button', { name: /^Undo/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('-www.example.com. 3600 IN A 192.0.2.1').waitFor()
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  await entries.nth(2).waitFor()
  t.equal(await page.getByText('example.org.').count(), 0)
  t.same(await queryAddresses(server.endpoint(), 'www.example.com.'), [])
  t.same(complaints, [])
})
