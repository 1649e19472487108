import t from 'tap'
import { askUntil, go, signIn, visit } from './browser.ts'

t.test('what is asked is seen as it is asked', async t => {
  const { page, server, complaints } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await signIn(page)
  await go(page, 'Live')
  await page.locator('.figures').waitFor()
  const rate = page.getByRole('listitem').filter({ hasText: /^NXDOMAIN [1-9]/ })
  const zones = page.getByRole('table', { name: 'Top zones, last minute' })
  const names = page.getByRole('table', { name: 'Top names, last minute' })
  const seen = Promise.all([
    rate.waitFor(),
    zones.getByRole('link', { name: 'example.com.' }).waitFor(),
    names.getByRole('cell', { name: 'www.example.com. A' }).waitFor(),
  ])
  await askUntil(server, ['www.example.com.'], seen)
  t.same(complaints, [])
})
