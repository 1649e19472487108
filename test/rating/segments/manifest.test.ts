import t from 'tap'
import {
  emptyManifest,
  type Manifest,
  readManifest,
  writeManifest,
} from '../../../src/rating/segments/manifest.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'

const manifest: Manifest = { ...emptyManifest, nextFile: 7, keys: ['a\nb', 'ü'] }

t.test('a manifest comes back, the latest one', async t => {
  const disk = new SimulatedDisk()
  t.equal(await readManifest(disk, 's'), undefined)
  await writeManifest(disk, 's', emptyManifest)
  await writeManifest(disk, 's', manifest)
  t.same(await readManifest(disk, 's'), manifest)
})

t.test('a changed octet anywhere is seen', async t => {
  const disk = new SimulatedDisk()
  await writeManifest(disk, 's', manifest)
  const length = (await disk.read('s/manifest.json'))?.length ?? 0
  for (let at = 0; at < length - 1; at++) {
    const damaged = disk.afterKill()
    damaged.damage('s/manifest.json', data => {
      data.writeUInt8(data.readUInt8(at) ^ 1, at)
      return data
    })
    await t.rejects(readManifest(damaged, 's'), { name: 'DamageError' }, `octet ${at}`)
  }
})

t.test('a format of a later version is not guessed at', async t => {
  const disk = new SimulatedDisk()
  await writeManifest(disk, 's', { ...manifest, format: 2 } as unknown as Manifest)
  await t.rejects(readManifest(disk, 's'), { name: 'OtherFormatError', message: /format 2/ })
})
