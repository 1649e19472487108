import t from 'tap'
import { adminPassword } from '../whole-server.ts'
import { findings } from './axe.ts'
import { visit } from './browser.ts'

t.test('a reader of German has it all in German, until another language is chosen', async t => {
  const { page, server, complaints } = await visit(t, { locale: 'de-AT' })
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await page.getByLabel('Benutzer', { exact: true }).fill('admin')
  await page.getByLabel('Passwort', { exact: true }).fill(adminPassword)
  await page.getByRole('button', { name: 'Anmelden' }).click()
  await page.getByRole('heading', { name: 'Zonen' }).waitFor()
  await page.getByText('aktiv', { exact: true }).waitFor()
  await page.locator('html[lang="de"]').waitFor()
  t.same(await findings(page), [])
  await page.getByRole('link', { name: 'example.com.' }).click()
  await page.getByRole('button', { name: 'Record hinzufügen' }).click()
  await page.getByLabel('IPv4-Adresse').fill('nirgends')
  await page.getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Abbrechen' }).click()
  await page.getByRole('link', { name: 'admin' }).click()
  await page.getByLabel('Sprache').selectOption('en')
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  await page.locator('html[lang="en"]').waitFor()
  await page.getByLabel('Language').selectOption('de')
  await page.getByRole('heading', { name: 'Ihr Konto' }).waitFor()
  t.same(complaints, [])
})
