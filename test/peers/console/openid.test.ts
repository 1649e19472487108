import t from 'tap'
import { startOpenidProvider } from '../../helpers/openid-provider.ts'
import { addRecord, openZone, visit } from './browser.ts'

t.test(
  'somebody signs in by a provider, and again in a window of its own, losing nothing',
  async t => {
    const provider = await startOpenidProvider(t)
    provider.claims.zonewright_roles = ['admin:admin']
    const settings = { ZONEWRIGHT_OPENID_ISSUER: provider.issuer }
    const { page, server, complaints } = await visit(t, { settings })
    await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
    const button = page.getByRole('button', { name: 'Sign in with your organisation' })
    await button.click()
    await openZone(page, 'example.com.')
    t.equal(new URL(page.url()).search, '', 'no code stays in the address')
    await page.getByRole('link', { name: 'jo', exact: true }).waitFor()
    await addRecord(page, 'www', '192.0.2.1')

    await page.evaluate(async () => {
      const { token } = JSON.parse(sessionStorage.getItem('zonewright.session') ?? '{}')
      const headers = { 'x-auth-token': token, 'x-subject-token': token }
      await fetch('/identity/v3/auth/tokens', { method: 'DELETE', headers })
    })
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByText('Your session has ended').waitFor()
    await button.click()
    await page.getByText('Your session has ended').waitFor({ state: 'detached' })
    await page.locator('.difference span').first().waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Applied.').first().waitFor()
    t.same(complaints, [])
  },
)

t.test('what the provider or the server refuses is said', async t => {
  const provider = await startOpenidProvider(t)
  provider.isForged = true
  const { page } = await visit(t, { settings: { ZONEWRIGHT_OPENID_ISSUER: provider.issuer } })
  const button = page.getByRole('button', { name: 'Sign in with your organisation' })
  await button.click()
  await page.getByRole('alert').getByText('not accepted').waitFor()
  await page.goto(`${server(page.url())}/console/?error=access_denied&state=made-up`)
  await page.waitForFunction(`document.title === 'You can close this window'`)
  t.pass('an answer that nobody waits for signs nobody in')
})

function server(url: string): string {
  return new URL(url).origin
}
