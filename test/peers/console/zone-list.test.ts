import t from 'tap'
import { adminProject, go, openZone, signIn, visit } from './browser.ts'

t.test('the way back from a zone leads to the list as it was filtered', async t => {
  const { page, server, complaints } = await visit(t)
  for (const name of ['example.com.', 'example.org.'])
    await server.json('POST', '/v2/zones', { name, email: 'ops@example.com' })
  await signIn(page)
  const filter = page.getByPlaceholder('Filter by name or tag')
  await filter.pressSequentially('org')
  await page.getByText('1 of 1').waitFor()
  await openZone(page, 'example.org.')
  await page.goBack()
  await page.getByText('1 of 1').waitFor()
  t.equal(await filter.inputValue(), 'org')
  t.same(complaints, [])
})

t.test('it leads to where the list was scrolled, and other ways to its top', async t => {
  const { page, server, complaints } = await visit(t)
  await server.json('PATCH', `/v2/quotas/${await adminProject(server)}`, { zones: -1 })
  const nameOf = (at: number) => `z${String(at).padStart(3, '0')}.example.com.`
  // More than one page of the API.
  for (let at = 0; at < 300; at += 1)
    await server.json('POST', '/v2/zones', { name: nameOf(at), email: 'ops@example.com' })
  await signIn(page)
  await page.getByText('of 300').waitFor()
  const list = page.getByLabel('Zones', { exact: true })
  const placeOf = () => list.evaluate(element => element.scrollTop)
  const wanted = page.getByRole('link', { name: nameOf(260), exact: true })
  while ((await wanted.count()) === 0) {
    await list.evaluate(element => element.scrollBy(0, 2000))
    await page.evaluate('new Promise(requestAnimationFrame)')
  }
  await wanted.scrollIntoViewIfNeeded()
  const place = await placeOf()
  await openZone(page, nameOf(260))
  await page.goBack()
  await wanted.waitFor()
  t.equal(await placeOf(), place)

  await openZone(page, nameOf(260))
  await go(page, 'Zones')
  await page.getByRole('link', { name: nameOf(0), exact: true }).waitFor()
  t.equal(await placeOf(), 0)
  t.same(complaints, [])
})
