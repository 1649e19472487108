import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { repairData } from '../../src/cli/repair.ts'
import { systemClock } from '../../src/clock.ts'
import { PointStore } from '../../src/rating/segments/point-store.ts'
import { usageFolders } from '../../src/rating/usage-repair.ts'
import { openLowdbStore } from '../../src/store/lowdb-store.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { zoneRow } from '../helpers/store-rows.ts'
import { storedTexts, usage } from '../helpers/usage.ts'

t.test('store and usage are repaired, and not while a process has them open', async t => {
  const directory = serverFolder(t)
  const open = () => openLowdbStore({ directory, clock: systemClock })
  const folder = join(directory, usageFolders.points)
  const store = await open()
  await store.commit(tx => tx.put('zones', zoneRow()))
  const points = await PointStore.open(folder)
  for (const hour of ['2026-09-01', '2026-10-01'])
    await points.write({ origin: 'dns', points: [usage(hour, 'p1', '1')] })
  await points.flush()
  await points.close()
  await t.rejects(repairData(directory), { name: 'StoreLockedError' })
  await store.close()
  t.match(await repairData(directory), /Nothing is wrong with the store.\nNothing is wrong with/)

  for (const name of ['manifest.json', 'manifest.json.prev'])
    writeFileSync(join(directory, name), 'rubbish')
  const month = join(folder, '2026-09')
  const segment = join(month, readdirSync(month)[0] ?? '')
  const octets = readFileSync(segment)
  octets.writeUInt8(octets.readUInt8(20) ^ 1, 20)
  writeFileSync(segment, octets)
  const snapshot = join(directory, 'table', 'snapshot')
  mkdirSync(join(directory, 'table'))
  writeFileSync(snapshot, 'zones as they were')
  await t.rejects(open(), { name: 'DamageError' })
  const said = await repairData(directory)
  for (const path of [join(directory, 'manifest.json'), segment]) {
    t.match(said, `${path}: it `)
    t.match(said, `${path}.damaged`)
  }
  t.notOk(existsSync(snapshot), 'the next start must not answer from it')
  const again = await open()
  t.ok(again.get('zones', zoneRow().id))
  await again.close()
  const left = await PointStore.open(folder)
  t.equal((await storedTexts(left)).length, 1)
  await left.close()
})

t.test('a directory that does not exist has no store to repair', async t => {
  await t.rejects(repairData(join(t.testdir(), 'mistyped')), { name: 'DamageError' })
})
