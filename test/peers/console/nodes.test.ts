import t from 'tap'
import { openNodes } from '../../helpers/nodes.ts'
import { buildConsole, go, openConsole, part, signIn } from './browser.ts'

t.test(
  'nodes are shown with their duty, whether they are set alike, and when one is gone',
  async t => {
    buildConsole()
    const nodes = await openNodes(t)
    const one = await nodes.start('zw1')
    const other = await nodes.start('zw2', { ZONEWRIGHT_USAGE_KEEP_MONTHS: '7' })
    const { page, complaints } = await openConsole(t, one)
    await signIn(page)
    await go(page, 'Server')
    await part(page, 'Nodes and threads')
    const table = page.getByRole('table', { name: 'Nodes' })
    await table.getByRole('row', { name: /zw1.*up/ }).waitFor()
    await table.getByRole('row', { name: /zw2.*up/ }).waitFor()
    await table.getByText('on duty', { exact: true }).waitFor()
    await page.getByRole('table', { name: 'Answering threads of this server' }).waitFor()
    await table.getByRole('row', { name: /zw[12].*not as on/ }).waitFor()

    await other.kill()
    await table.getByRole('row', { name: /zw2.*gone/ }).waitFor()
    await table.getByRole('button', { name: 'Forget zw2' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click()
    await table.getByRole('row', { name: /zw2/ }).waitFor({ state: 'detached' })
    await table.getByRole('row', { name: /zw1.*on duty.*up/ }).waitFor()
    t.same(complaints, [])
  },
)
