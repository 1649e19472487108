import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { Appliance, mainFile } from '../helpers/appliance.ts'
import { runPage, withoutChance } from '../helpers/page.ts'

// Each page of docs/ against a fresh server: its commands are run in order, and print what the page says. With
// WRITE_PAGES=1 what they print is written into the pages.

const docs = fileURLToPath(new URL('../../docs/', import.meta.url))
/** Of words and pictures only, or about more than one server (`chain.test.ts`). */
const plainPages = ['README.md', 'console.md', 'nodes.md', 'powerdns.md', 'dnssec-chain.md']
const pages = readdirSync(docs).filter(name => name.endsWith('.md') && !plainPages.includes(name))

t.test('what changes at each run is not compared, and everything else is', async t => {
  const one = 'a86dba58-0043-4cc6-a1bb-69d5e86f3ca3 2026-11-23T04:00:00.000001 www 192.0.2.1'
  const other = '0f1dba58-0043-4cc6-a1bb-69d5e86f3c00 2026-12-01T05:00:00 www 192.0.2.1'
  t.equal(withoutChance(one), withoutChance(other))
  t.not(withoutChance(one), withoutChance(one.replace('192.0.2.1', '192.0.2.2')))
})

for (const page of pages)
  t.test(page, async t => {
    const folder = t.testdir({})
    const environment = {
      ZONEWRIGHT_ADMIN_TOKEN: 'secret',
      ZONEWRIGHT_NAMESERVERS: 'ns1.example.com.,ns2.example.com.',
    }
    const dataDirectory = join(folder, 'data')
    const server = await Appliance.start({ dataDirectory, environment })
    t.teardown(() => server.stop())
    const { host } = new URL(server.apiUrl)
    const checked = await runPage(join(docs, page), {
      apiPort: Number(host.split(':')[1]),
      dnsPort: server.endpoint().port,
      environment: {
        ...environment,
        ZONEWRIGHT_API_LISTEN: host,
        ZONEWRIGHT_DATA_DIR: dataDirectory,
      },
      folder,
      mainFile,
    })
    t.ok(checked.length > 0, 'it has commands')
    for (const { text, printed, actual } of checked)
      t.equal(withoutChance(actual), withoutChance(printed), text)
  })
