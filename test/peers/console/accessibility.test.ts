import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import t from 'tap'
import { go, openZone, part, signIn, visit } from './browser.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds against the rules of WCAG 2.2, levels A and AA. */
async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
      }
    }
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
    const { violations } = await axe.run({ runOnly: { type: 'tag', values } })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  })
}

t.test('a barrier is found', async t => {
  const { page } = await visit(t)
  await page.evaluate(`document.body.append(document.createElement('input'))`)
  t.match(await findings(page), [/^label: /])
})

const settings = { ZONEWRIGHT_KEY_SECRET: 'a secret of the tests' }

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1280, 390]) {
    t.test(`no page has a barrier, ${theme} and ${width} wide`, async t => {
      const { page, server } = await visit(t, { theme, width, settings })
      t.same(await findings(page), [], 'sign-in')
      const zone = { name: 'example.com.', email: 'ops@example.com' }
      await server.json('POST', '/v2/zones', zone)
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
      t.same(await findings(page), [], 'form')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await part(page, 'Settings')
      t.same(await findings(page), [], 'settings')
      await part(page, 'DNSSEC')
      await page.getByRole('button', { name: 'Sign this zone' }).click()
      await page.getByRole('status').getByText('signed', { exact: true }).waitFor()
      t.same(await findings(page), [], 'DNSSEC')
      await part(page, 'Access')
      await page.getByRole('button', { name: 'Add rule' }).click()
      t.same(await findings(page), [], 'access')
      await part(page, 'History')
      await page.locator('.entry').first().waitFor()
      t.same(await findings(page), [], 'history')
      for (const name of [
        'Usage',
        'Webhooks',
        'Credentials',
        'Live',
        'History',
        'Accounts',
        'Server',
      ]) {
        await go(page, name)
        await page.getByRole('heading', { name }).first().waitFor()
        t.same(await findings(page), [], name)
      }
      for (const name of ['Pools', 'TSIG keys', 'DNSSEC policies', 'Blacklists', 'TLDs']) {
        await part(page, name)
        await page.getByRole('button', { name: 'Add', exact: true }).click()
        t.same(await findings(page), [], name)
        await page.getByRole('button', { name: 'Cancel' }).click()
      }
      for (const path of ['invoices', 'deleted-zones']) {
        await page.goto(`${server.apiUrl}/console/${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        t.same(await findings(page), [], path)
      }
    })
  }
}
