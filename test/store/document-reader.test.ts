import { join } from 'node:path'
import t, { type Test } from 'tap'
import { realFiles } from '../../src/durable/file-system.ts'
import { writeDocument } from '../../src/store/document.ts'
import { DocumentReader } from '../../src/store/document-reader.ts'
import { LoadedRows } from '../../src/store/loaded-rows.ts'
import { openLowdbStore } from '../../src/store/lowdb-store.ts'
import type { StoreEvent } from '../../src/store/write-access.ts'
import { fakeClock } from '../helpers/clock.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { recordsetRow, uuidOf, zoneRow } from '../helpers/store-rows.ts'

// With the machine's files, for no thread sees any others.

const zoneCount = 150
const zone = (number: number) => zoneRow({ id: uuidOf(number), name: `z${number}.example.` })
/** More of some zones than their own document holds. */
const recordsets = (number: number) =>
  Array.from({ length: number % 50 === 0 ? 250 : 3 }, (_, i) =>
    recordsetRow({
      id: uuidOf(1_000 * (number + 1) + i),
      zoneId: uuidOf(number),
      createdAt: i + 1,
      name: `h${i}.z${number}.example.`,
    }),
  )

const options = { clock: fakeClock(), rowsPerShard: 100 }

async function writeStore(directory: string): Promise<void> {
  const store = await openLowdbStore({ ...options, directory })
  for (let number = 0; number < zoneCount; number += 1) {
    await store.commit(tx => {
      tx.put('zones', zone(number))
      for (const recordset of recordsets(number)) tx.put('recordsets', recordset)
    })
  }
  await store.checkpoint()
  await store.close()
}

async function openAgain(t: Test, directory: string, report?: (event: StoreEvent) => void) {
  const store = await openLowdbStore({ ...options, directory, ...(report && { report }) })
  t.teardown(() => store.close())
  return store
}

const documentOf = (directory: string, number: number) =>
  join(directory, 'zones', uuidOf(number).slice(0, 2), `${uuidOf(number)}.json`)

t.test('documents that threads have read are those that were written', async t => {
  const directory = serverFolder(t)
  await writeStore(directory)
  const store = await openAgain(t, directory)
  for (let number = 0; number < zoneCount; number += 1) {
    t.same(store.get('zones', uuidOf(number)), zone(number))
    t.same([...store.list('recordsets', 'byZone', uuidOf(number))], recordsets(number))
  }
})

t.test('a document that a thread cannot read is healed, or told of', async t => {
  const directory = serverFolder(t)
  await writeStore(directory)
  const path = documentOf(directory, 140)
  await realFiles.link(path, `${path}.prev`)
  await realFiles.remove(path)
  const events: StoreEvent[] = []
  const store = await openAgain(t, directory, event => events.push(event))
  t.match(events, [{ kind: 'document-healed', path }])
  t.equal(store.count('recordsets', 'byZone', uuidOf(140)), 3)
  await store.close()
  await realFiles.remove(path)
  await realFiles.remove(`${path}.prev`)
  await t.rejects(openAgain(t, directory), { name: 'DamageError', message: path })
})

t.test('what a thread that has ended was to read is read without', async t => {
  const directory = serverFolder(t)
  const paths = Array.from({ length: 200 }, (_, number) => join(directory, `${number}.json`))
  for (const [number, path] of paths.entries()) {
    const document = { _lsn: 1, zone: zone(number), shards: [], recordsets: recordsets(number) }
    await writeDocument(realFiles, path, document as never)
  }
  for (const threadCount of [0, 1, 3]) {
    const reader = new DocumentReader(realFiles, threadCount)
    await reader.read(paths.slice(0, 64))
    const cut = reader.read(paths)
    await reader.close()
    for (const found of [await cut, await reader.read(paths)]) {
      const rows = new LoadedRows()
      t.same(
        found.map(({ document }) => document?._lsn),
        paths.map(() => 1),
      )
      for (const { document } of found) if (document) rows.putRecordsets(document.recordsets)
      t.same(rows.get('recordsets', uuidOf(151_002)), recordsets(150)[2])
    }
  }
})
