import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { dumpData } from '../../src/cli/dump.ts'
import { documentOf, documentPath } from '../../src/store/layout.ts'
import { openLowdbStore } from '../../src/store/lowdb-store.ts'
import { fakeClock } from '../helpers/clock.ts'
import { recordsetRow, testZoneId, zoneRow } from '../helpers/store-rows.ts'

async function filled(t: Test) {
  const directory = join(t.testdir(), 'data')
  const store = await openLowdbStore({ directory, clock: fakeClock() })
  await store.commit(tx => {
    tx.put('zones', zoneRow())
    tx.put('recordsets', recordsetRow({ name: 'WWW.example.com.' }))
  })
  return { directory, store }
}

async function dump(directory: string, what: string): Promise<string> {
  const texts: string[] = []
  await dumpData({ directory, what }, async text => void texts.push(text))
  return texts.join('')
}

t.test('a zone is printed as a master file, a collection as lines of JSON', async t => {
  const { directory, store } = await filled(t)
  await t.rejects(dump(directory, 'zones'), { name: 'StoreLockedError' })
  await store.close()
  for (const what of ['example.com.', 'EXAMPLE.com', testZoneId])
    t.match(
      await dump(directory, what),
      /^\$ORIGIN example\.com\.\n[\s\S]*WWW[\s\S]*192\.0\.2\.1\n$/,
      what,
    )
  t.strictSame(JSON.parse(await dump(directory, 'zones')), zoneRow())
  t.strictSame(
    JSON.parse(await dump(directory, 'recordsets')),
    recordsetRow({ name: 'WWW.example.com.' }),
  )
  t.equal(await dump(directory, 'pools'), '')
  const log = await dump(directory, 'log')
  t.match(log, /^\{"lsn":1,.*"example\.com\.".*\}\n$/)
})

t.test('what there is not is refused', async t => {
  const { directory, store } = await filled(t)
  await store.close()
  await t.rejects(dump(directory, 'example.net'), { name: 'ConfigError', message: /is no zone/ })
  for (const what of ['zones', 'log'])
    await t.rejects(dump(join(directory, 'none'), what), { message: /no store/ })
})

t.test('of damaged data all that can be read is printed, and then what cannot', async t => {
  const { directory, store } = await filled(t)
  await store.close()
  writeFileSync(join(directory, 'manifest.json.prev'), 'rubbish')
  writeFileSync(documentPath(directory, documentOf('zones', testZoneId), 1), 'rubbish')
  const texts: string[] = []
  const dumped = dumpData({ directory, what: 'recordsets' }, async text => void texts.push(text))
  await t.rejects(dumped, { name: 'DamageError', message: /zones-.*store repair/ })
  t.match(texts.join(''), 'WWW.example.com.')
})
