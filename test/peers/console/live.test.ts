import t from 'tap'
import { queryAddresses } from '../../helpers/query.ts'
import { go, signIn, visit } from './browser.ts'

t.test('what is asked is seen as it is asked', async t => {
  const { page, server, complaints } = await visit(t)
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await signIn(page)
  await go(page, 'Live')
  await page.locator('.figures').waitFor()
  const asked = Array.from({ length: 40 }, () =>
    queryAddresses(server.endpoint(), 'www.example.com.'),
  )
  await Promise.all(asked)
  await page
    .getByRole('listitem')
    .filter({ hasText: /^NXDOMAIN [1-9]/ })
    .waitFor()
  const zones = page.getByRole('table', { name: 'Zones of the last minute' })
  await zones.getByRole('link', { name: 'example.com.' }).waitFor()
  const names = page.getByRole('table', { name: 'Names of the last minute' })
  await names.getByRole('cell', { name: 'www.example.com. A' }).waitFor()
  t.same(complaints, [])
})
