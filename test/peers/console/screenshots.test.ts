import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { addRecord, askUntil, go, openZone, part, signIn, visit } from './browser.ts'

// The pictures of docs/console.md. SCREENSHOTS=docs/console writes them there; without it they are made for nobody, so
// that the way to them is known to work.

for (const width of [1280, 390]) {
  t.test(`every page is shown, ${width} wide`, async t => {
    const folder = process.env.SCREENSHOTS ?? t.testdir({})
    mkdirSync(folder, { recursive: true })
    const settings = { ZONEWRIGHT_KEY_SECRET: 'a secret of the tests' }
    const { page, server, complaints } = await visit(t, { width, settings })
    const shoot = (name: string) =>
      page.screenshot({ path: join(folder, `${name}-${width}.png`), animations: 'disabled' })
    const tagged: Readonly<Record<string, object>> = {
      'example.com.': { attributes: { tier: 'gold' } },
      'example.net.': { attributes: { tier: 'gold', customer: '4711' } },
    }
    for (const name of ['example.com.', 'example.net.', 'example.org.', '2.0.192.in-addr.arpa.'])
      await server.json('POST', '/v2/zones', { name, email: 'ops@example.com', ...tagged[name] })
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
    await shoot('sign-in')
    await signIn(page)
    await page.getByRole('link', { name: 'example.com.' }).waitFor()
    await shoot('zones')
    await openZone(page, 'example.com.')
    await page.getByText('v=spf1 mx -all').waitFor()
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
    await part(page, 'Settings')
    await page.getByText('ns1.zonewright.example.').first().waitFor()
    await shoot('settings')
    await part(page, 'History')
    await page.locator('.entry').first().waitFor()
    await shoot('zone-history')
    for (const name of ['Usage', 'Credentials', 'Live', 'History', 'Accounts']) {
      await go(page, name)
      await page
        .getByRole('heading', { name: new RegExp(name, 'i') })
        .first()
        .waitFor()
      if (name === 'Live') {
        const rate = page.getByRole('listitem').filter({ hasText: /NXDOMAIN [1-9]/ })
        const asked = ['none', 'www', 'www', 'www'].map(label => `${label}.example.com.`)
        const names = page.getByRole('table', { name: 'Names of the last minute' })
        await askUntil(server, asked, Promise.all([rate.waitFor(), names.waitFor()]))
      }
      await shoot(name.toLowerCase())
    }
    await go(page, 'Server')
    await page.getByRole('cell', { name: 'store' }).waitFor()
    await shoot('server')
    await part(page, 'Nodes and threads')
    await page.getByRole('row', { name: /^0/ }).waitFor()
    await shoot('nodes')
    for (const name of ['Pools', 'TSIG keys', 'DNSSEC policies', 'Blacklists', 'TLDs']) {
      await part(page, name)
      await page.locator('.data, .empty').first().waitFor()
    }
    await go(page, 'Webhooks')
    await page.getByText('Nothing is posted anywhere yet.').waitFor()
    await shoot('webhooks')
    t.same(complaints, [])
  })
}
