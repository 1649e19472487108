import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { ClockedAppliance } from '../../helpers/clocked-appliance.ts'
import { hour, type Summary } from '../../helpers/metered-server.ts'
import { serverFolder } from '../../helpers/server-folder.ts'
import { until } from '../../helpers/until.ts'
import { adminPassword } from '../whole-server.ts'
import { buildConsole, go, openConsole, signIn } from './browser.ts'

const run = promisify(execFile)
const day = 24 * hour

t.test('queries that were asked are in the charts of usage, with what they cost', async t => {
  buildConsole()
  const server = await ClockedAppliance.start({
    dataDirectory: serverFolder(t),
    nowMillis: Date.UTC(2026, 9, 5, 10),
    environment: { ZONEWRIGHT_ADMIN_PASSWORD: adminPassword },
  })
  t.teardown(() => server.kill())
  const path = '/identity/v3/projects?name=admin'
  const { projects } = await server.call<{ projects: { id: string }[] }>('GET', path)
  const projectId = projects[0]?.id ?? ''
  // 1.25 for each query: prices are by the million.
  const rule = { service: 'dns.queries', type: 'flat', cost: '1250000', description: '' }
  await server.call('PUT', '/v2/prices', { body: { rules: [rule] } })
  await server.advance(hour)
  const body = { name: 'example.com.', email: 'ops@example.com' }
  await server.call('POST', '/v2/zones', { body, projectId })
  await ask(server, 7)
  await server.advance(day)
  await ask(server, 3)
  await server.advance(3 * hour + 1000)
  await until(
    async () => {
      await server.run('flush-usage')
      await server.run('rate-usage')
      const query = 'groupby=type&filters=type:dns.queries'
      return server.call<Summary>('GET', `/v2/summary?${query}`, { projectId })
    },
    ({ columns, results: [row] }) => row?.[columns.indexOf('rate')] === 12.5,
  )
  const { page, complaints } = await openConsole(t, server)
  await signIn(page)
  await go(page, 'Usage')
  await page.getByRole('img', { name: 'Cost by day' }).waitFor()
  await page.getByRole('row', { name: /^Queries 10\S* 12\.5$/ }).waitFor()
  // In the format of the column.
  await page.getByRole('row', { name: /^Zone hours \S+ 0\.0$/ }).waitFor()
  const zones = page.getByRole('table', { name: 'By zone' })
  await zones.getByRole('row', { name: 'example.com. 12.5', exact: true }).waitFor()
  await page.getByText('As a table').click()
  const costs = page.getByRole('table', { name: 'Cost by day' })
  await costs.getByRole('row', { name: 'Oct 5, 2026 8.75', exact: true }).waitFor()
  await costs.getByRole('row', { name: 'Oct 6, 2026 3.75', exact: true }).waitFor()
  await page.getByLabel('What is shown').selectOption('Zone hours')
  await page.getByRole('img', { name: 'Zone hours by day' }).waitFor()
  const hours = page.getByRole('table', { name: 'Zone hours by day' })
  await hours.getByRole('row', { name: /^Oct 5, 2026 \d+$/ }).waitFor()
  t.same(complaints, [])
})

/** Sends each query once: one that was sent again would be metered again. What was metered before a turn of the clock
 *  ends there. */
async function ask(server: ClockedAppliance, times: number): Promise<void> {
  await server.run('flush-usage')
  const { host, port } = server.dns
  const words = [`@${host}`, '-p', `${port}`, '+tries=1', '+timeout=100', 'www.example.com']
  for (let i = 0; i < times; i += 1) await run('dig', words)
  await server.run('flush-usage')
}
