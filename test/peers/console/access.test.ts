import t from 'tap'
import { parseName } from '../../../src/dns/name.ts'
import { honestScript, ScriptedMaster } from '../../helpers/scripted-master.ts'
import { until } from '../../helpers/until.ts'
import { customer, customerPassword, more, openZone, part, signIn, visit } from './browser.ts'

t.test('a zone goes from one user to another', async t => {
  const { page, server, complaints } = await visit(t)
  await customer(server, 'ann')
  const ben = await customer(server, 'ben')
  await signIn(page, { user: 'ann', password: customerPassword })
  await page.getByRole('button', { name: 'New zone' }).click()
  await page.getByLabel('Name', { exact: true }).fill('example.com')
  await page.getByLabel('E-mail').fill('ann@example.com')
  await page.getByRole('button', { name: 'Create zone' }).click()
  await page.getByRole('heading', { name: 'example.com.' }).waitFor()
  await part(page, 'Access')
  await page.getByRole('button', { name: 'Offer' }).click()
  const values = page.getByRole('region', { name: 'Hand over' }).locator('pre')
  await values.nth(1).waitFor()
  const [id = '', key = ''] = await values.allInnerTexts()

  await page.getByRole('button', { name: /^Sign out/ }).click()
  await signIn(page, { user: 'ben', password: customerPassword })
  await more(page, 'Accept a zone')
  await page.getByLabel('Offer ID').fill(id)
  await page.getByLabel('Key', { exact: true }).fill('a wrong one')
  await page.getByRole('button', { name: 'Accept', exact: true }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Accept', exact: true }).click()
  await page.getByRole('heading', { name: 'example.com.' }).waitFor()

  // What another project names to share a zone with this one.
  await page.locator('a[href="/console/account"]').click()
  await page.getByRole('region', { name: 'Project ben' }).getByText(ben, { exact: true }).waitFor()

  await page.getByRole('button', { name: /^Sign out/ }).click()
  await signIn(page, { user: 'ann', password: customerPassword })
  await page.getByText('No zones yet').waitFor()
  t.same(complaints, [])
})

t.test('who may have a zone, change it, and read it, is said and refused at the field', async t => {
  const { page, server, complaints } = await visit(t)
  const project = await customer(server, 'ann')
  const zone = { name: 'example.com.', email: 'ops@example.com' }
  const { id } = await server.json<{ id: string }>('POST', '/v2/zones', zone)
  await signIn(page)
  await openZone(page, 'example.com.')
  await part(page, 'Access')
  const servers = page.getByRole('region', { name: 'Other name servers' })
  await servers.getByLabel('Addresses, networks and keys').fill('nobody')
  await servers.getByRole('button', { name: 'Save' }).click()
  await servers.getByRole('alert').waitFor()
  await servers.getByLabel('Addresses, networks and keys').fill('198.51.100.7')
  await servers.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()

  const updates = page.getByRole('region', { name: 'Dynamic update' })
  await updates.getByRole('button', { name: 'Add rule' }).click()
  await updates.getByLabel('TSIG key').fill('acme.')
  await updates.getByLabel('Name', { exact: true }).fill('_acme-challenge')
  await updates.getByLabel('From addresses').fill('nowhere')
  await updates.getByRole('button', { name: 'Save' }).click()
  await updates.getByRole('alert').waitFor()
  await updates.getByLabel('From addresses').fill('')
  await updates.getByLabel('Types').fill('TXT')
  await updates.getByRole('button', { name: 'Save' }).click()
  await updates.getByRole('alert').waitFor({ state: 'detached' })

  const shares = page.getByRole('region', { name: 'Shared with' })
  await shares.getByLabel('Project ID').fill(project)
  await shares.getByRole('button', { name: 'Share', exact: true }).click()
  await shares.getByRole('button', { name: `Stop sharing with ${project}` }).waitFor()

  const { attributes } = await server.json<{ attributes: object }>('GET', `/v2/zones/${id}`)
  t.same(attributes, { allow_transfer: '198.51.100.7' })
  // The complaint goes when the form is sent, not when it is answered.
  const { rules } = await until(
    () => server.json<{ rules: object[] }>('GET', `/v2/zones/${id}/update_policy`),
    ({ rules }) => rules.length > 0,
  )
  t.match(rules, [{ key: 'acme.', name: '_acme-challenge.example.com.', types: ['TXT'] }])
  t.same(complaints, [])
})

t.test('a secondary zone says where it comes from and why it waits', async t => {
  const { page, server, complaints } = await visit(t)
  const zone = { name: 'example.com.', type: 'SECONDARY', masters: ['127.0.0.1:9'] }
  const { id } = await server.json<{ id: string }>('POST', '/v2/zones', zone)
  await signIn(page)
  await openZone(page, 'example.com.')
  await part(page, 'Settings')
  const masters = page.getByRole('region', { name: 'Transfers from the masters' })
  await masters.getByText('127.0.0.1:9', { exact: true }).waitFor()
  await masters.getByText('never').waitFor()
  await masters.getByRole('button', { name: 'Transfer now' }).click()
  await page.getByText('Asking the masters.').waitFor()
  await until(
    () => server.json<{ status_reason: string | null }>('GET', `/v2/zones/${id}`),
    ({ status_reason: reason }) => reason !== null,
  )
  await page.reload()
  await masters.getByText('Waiting for').waitFor()
  t.same(complaints, [])
})

t.test('a secondary zone is taken over from its master', async t => {
  const master = await ScriptedMaster.start(
    t,
    honestScript(
      parseName('example.com.'),
      '@ 300 SOA ns.example. ops.example. 7 3600 600 86400 60\n@ 300 NS ns.example.\nwww 300 A 192.0.2.1',
    ),
  )
  const { page, server, complaints } = await visit(t)
  const zone = {
    name: 'example.com.',
    type: 'SECONDARY',
    masters: [`127.0.0.1:${master.address.port}`],
  }
  const { id } = await server.json<{ id: string }>('POST', '/v2/zones', zone)
  await until(
    () => server.json<{ transferred_at: string | null }>('GET', `/v2/zones/${id}`),
    ({ transferred_at: at }) => at !== null,
  )
  await signIn(page)
  await openZone(page, 'example.com.')
  await part(page, 'Settings')
  await page.getByRole('button', { name: 'Make it a primary' }).click()
  await page.getByRole('button', { name: 'Take it over' }).click()
  await page.getByLabel('E-mail').waitFor()
  t.match(await server.json('GET', `/v2/zones/${id}`), { type: 'PRIMARY', email: 'ops@example' })
  t.same(complaints, [])
})
