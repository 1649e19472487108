import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { findings } from './axe.ts'
import { go, openZone, part, signIn, visit } from './browser.ts'

t.test('a barrier is found', async t => {
  const { page } = await visit(t)
  await page.evaluate(`document.body.append(document.createElement('input'))`)
  t.match(await findings(page), [/^label: /])
})

t.test('a dialog that is closed returns the focus to what opened it', async t => {
  const { page, complaints } = await visit(t)
  await signIn(page)
  for (const name of ['New zone', 'Search Ctrl K']) {
    const opener = page.getByRole('button', { name })
    await opener.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await opener.and(page.locator(':focus')).waitFor()
  }
  t.same(complaints, [])
})

/** A cell that is open, what is pasted, and the review of both. */
async function edits(t: Test, page: Page): Promise<void> {
  await page.locator('summary', { hasText: 'More' }).click()
  await page.getByText('Paste records').waitFor()
  t.same(await findings(page), [], 'menu')
  await page.getByText('Paste records').click()
  await page.getByLabel('Lines').fill('www A 192.0.2.1')
  t.same(await findings(page), [], 'paste')
  await page.getByRole('button', { name: 'Add 1 recordset' }).click()
  await page.getByRole('button', { name: /^Values of www A/ }).click()
  await page.locator('.cell-editor input').fill('nowhere')
  await page.locator('.cell-editor').getByRole('alert').waitFor()
  t.same(await findings(page), [], 'a cell with an error')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Review' }).click()
  await page.locator('.difference span').first().waitFor()
  t.same(await findings(page), [], 'review')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Applied.').first().waitFor()
}

const settings = { ZONEWRIGHT_KEY_SECRET: 'a secret of the tests' }

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1280, 320]) {
    t.test(`no page has a barrier, ${theme} and ${width} wide`, async t => {
      const { page, server } = await visit(t, { theme, width, settings })
      t.same(await findings(page), [], 'sign-in')
      const zone = { name: 'example.com.', email: 'ops@example.com' }
      await server.json('POST', '/v2/zones', { ...zone, attributes: { tier: 'gold' } })
      await signIn(page)
      await page.getByRole('link', { name: 'example.com.' }).waitFor()
      t.same(await findings(page), [], 'zones')
      t.ok(
        await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
        'nothing is beside the screen',
      )
      await openZone(page, 'example.com.')
      await page.getByRole('cell', { name: 'SOA' }).waitFor()
      t.same(await findings(page), [], 'records')
      await page.getByRole('button', { name: 'Add record' }).click()
      await page.getByRole('dialog').waitFor()
      t.same(await findings(page), [], 'form')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await edits(t, page)
      await part(page, 'Settings')
      t.same(await findings(page), [], 'settings')
      await part(page, 'DNSSEC')
      await page.getByRole('button', { name: 'Sign this zone' }).click()
      await page.getByRole('status').getByText('signed', { exact: true }).waitFor()
      t.same(await findings(page), [], 'DNSSEC')
      await part(page, 'Name servers')
      await page.getByRole('table', { name: 'Answered' }).waitFor()
      t.same(await findings(page), [], 'name servers')
      await part(page, 'Access')
      await page.getByRole('button', { name: 'Add rule' }).click()
      t.same(await findings(page), [], 'access')
      await part(page, 'History')
      await page.locator('.entry').first().waitFor()
      t.same(await findings(page), [], 'history')
      const made = page.locator('.entry').filter({ hasText: 'www' })
      await made.getByRole('button', { name: /^Undo the change/ }).click()
      await page.getByRole('dialog').locator('.difference span').first().waitFor()
      t.same(await findings(page), [], 'undo')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await part(page, 'Queries')
      await page.locator('.card:visible, .empty:visible').first().waitFor()
      t.same(await findings(page), [], 'queries')
      await part(page, 'Text')
      await page.getByLabel('Zone file').waitFor()
      t.same(await findings(page), [], 'text')
      await page.getByRole('button', { name: /^Search/ }).click()
      await page.getByLabel('Zones, names and values').fill('www')
      await page.locator('.found button').first().waitFor()
      t.same(await findings(page), [], 'search')
      await page.getByRole('button', { name: 'Close' }).click()
      for (const name of [
        'Usage',
        'History',
        'Webhooks',
        'Credentials',
        'Live',
        'Accounts',
        'Server',
      ]) {
        await go(page, name)
        await page.getByRole('heading', { name }).first().waitFor()
        t.same(await findings(page), [], name)
      }
      await part(page, 'Nodes and threads')
      await page.getByRole('row', { name: /^0/ }).waitFor()
      t.same(await findings(page), [], 'nodes')
      for (const name of ['Pools', 'TSIG keys', 'DNSSEC policies', 'Blacklists', 'TLDs']) {
        await part(page, name)
        await page.getByRole('button', { name: 'Add', exact: true }).click()
        t.same(await findings(page), [], name)
        await page.getByRole('button', { name: 'Cancel' }).click()
      }
      await part(page, 'Prices')
      await page.getByRole('button', { name: 'Add a price' }).click()
      t.same(await findings(page), [], 'Prices')
      for (const path of ['account', 'invoices', 'deleted-zones', 'import']) {
        await page.goto(`${server.apiUrl}/console/${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        t.same(await findings(page), [], path)
      }
    })
  }
}
