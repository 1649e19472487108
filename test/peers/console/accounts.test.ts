import t from 'tap'
import { signIn, visit } from './browser.ts'

t.test('a project, a user and a role are made, and the user signs in', async t => {
  const { page, complaints } = await visit(t)
  await signIn(page)
  await page.getByRole('link', { name: 'Accounts' }).click()
  await page.getByLabel('New project').fill('customers')
  await page.getByRole('button', { name: 'Create', exact: true }).first().click()
  await page.getByRole('cell', { name: 'customers' }).waitFor()
  await page.getByLabel('New user').fill('ann')
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Create', exact: true }).last().click()
  await page.getByRole('cell', { name: 'ann' }).waitFor()
  await page.getByLabel('User', { exact: true }).selectOption('ann')
  await page.getByLabel('Project', { exact: true }).last().selectOption('customers')
  await page.getByLabel('Role', { exact: true }).selectOption('member')
  await page.getByRole('button', { name: 'Assign role' }).click()
  await page.getByText('Role assigned.').waitFor()
  const roles = page.getByRole('table', { name: 'Roles' })
  await roles.getByRole('row', { name: 'ann customers member' }).waitFor()

  const customers = page.getByRole('row', { name: 'customers' })
  await customers.getByRole('button', { name: 'Quotas' }).click()
  await page.getByRole('dialog').getByLabel('Zones', { exact: true }).fill('0')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: /^Sign out/ }).click()
  await signIn(page, { user: 'ann', password: 'correct horse battery' })
  await page.getByText('No zones yet').waitFor()
  await page.getByRole('link', { name: 'Accounts' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New zone' }).click()
  await page.getByLabel('Name', { exact: true }).fill('example.com')
  await page.getByLabel('E-mail').fill('ops@example.com')
  await page.getByRole('button', { name: 'Create zone' }).click()
  await page.getByRole('alert').getByText(/quota/i).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('button', { name: /^Sign out/ }).click()
  await signIn(page)
  await page.getByRole('link', { name: 'Accounts' }).click()
  await page.getByRole('button', { name: 'Revoke member of ann in customers' }).click()
  await roles.getByRole('row', { name: 'ann customers member' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Sign out/ }).click()
  await signIn(page, { user: 'ann', password: 'correct horse battery' })
  await page.getByRole('alert').getByText('no role in any project').waitFor()
  t.same(complaints, [])
})

t.test('a program signs in with a credential that is made here, until it is deleted', async t => {
  const { page, server } = await visit(t)
  await signIn(page)
  await page.getByRole('link', { name: 'Credentials' }).click()
  await page.getByLabel('Name', { exact: true }).fill('ci')
  await page.getByRole('button', { name: 'Create credential' }).click()
  const shown = page.locator('dialog pre').filter({ hasText: /_SECRET=\S/ })
  const [, id, secret] = /_ID=(\S+)[\s\S]+_SECRET=(\S+)/.exec(await shown.innerText()) ?? []
  const zones = () =>
    fetch(`${server.apiUrl}/v2/zones`, {
      headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    })
  t.equal((await zones()).status, 200)
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Delete ci' }).click()
  await page.getByRole('cell', { name: 'ci', exact: true }).waitFor({ state: 'detached' })
  t.equal((await zones()).status, 401)
})
