import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { applyPrices, describePrices } from '../../src/cli/prices.ts'
import { systemClock } from '../../src/clock.ts'
import { loadConfig } from '../../src/config/config.ts'
import { openLowdbStore } from '../../src/store/lowdb-store.ts'

const configOf = (environment: Record<string, string>) =>
  loadConfig({ environment, argv: [], readFile: () => '' })

t.test('without a server the store itself is given prices, once', async t => {
  const directory = t.testdir()
  const config = configOf({ ZONEWRIGHT_DATA_DIR: directory })
  t.match(describePrices(await applyPrices(config, 'default')), /4 rules added, 0 present/)
  t.match(describePrices(await applyPrices(config, 'default')), /0 rules added, 4 present/)
  const store = await openLowdbStore({ directory, clock: systemClock })
  t.equal(store.count('hashmapMappings', 'all', ''), 4)
  t.match(store.get('ratingModules', 'hashmap'), { isEnabled: true })
  await store.close()
})

t.test('where a server has the store, it is asked', async t => {
  const directory = t.testdir()
  const store = await openLowdbStore({ directory, clock: systemClock })
  t.teardown(() => store.close())
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['x-auth-token']}`)
    const kept = ['0.40 a million']
    response.end(JSON.stringify({ model: 'default', added: 1, present: 2, kept }))
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const environment = {
    ZONEWRIGHT_DATA_DIR: directory,
    ZONEWRIGHT_API_LISTEN: `127.0.0.1:${port}`,
  }
  const config = configOf({ ...environment, ZONEWRIGHT_ADMIN_TOKEN: 'abc' })
  t.match(
    describePrices(await applyPrices(config, 'default')),
    /1 rules added, 2 present\.\nAnother price is set and stays: 0\.40 a million/,
  )
  t.same(asked, ['PUT /v2/prices/default abc'])
  const unavailable = { name: 'ServerUnavailableError', message: /ZONEWRIGHT_ADMIN_TOKEN/ }
  await t.rejects(applyPrices(configOf(environment), 'default'), unavailable)
})

t.test('a model that does not exist is refused before anything is opened', async t => {
  const config = configOf({ ZONEWRIGHT_DATA_DIR: '/nowhere' })
  await t.rejects(applyPrices(config, 'gold'), { name: 'ConfigError', message: /only: default/ })
})
