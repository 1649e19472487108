import t from 'tap'
import { openNodes } from '../../helpers/nodes.ts'
import { buildConsole, go, openConsole, part, signIn } from './browser.ts'

t.test('nodes are shown with their duty, and whether they are set alike', async t => {
  buildConsole()
  const nodes = await openNodes(t)
  const one = await nodes.start('zw1')
  await nodes.start('zw2', { ZONEWRIGHT_USAGE_KEEP_MONTHS: '7' })
  const { page, complaints } = await openConsole(t, one)
  await signIn(page)
  await go(page, 'Server')
  await part(page, 'Nodes and threads')
  const table = page.getByRole('table', { name: 'Nodes' })
  await table.getByRole('row', { name: /zw1.*up/ }).waitFor()
  await table.getByRole('row', { name: /zw2.*up/ }).waitFor()
  await table.getByText('duty', { exact: true }).waitFor()
  await page.getByRole('table', { name: 'Answering threads of this server' }).waitFor()
  await table.getByRole('row', { name: /zw[12].*others than at/ }).waitFor()
  t.same(complaints, [])
})
