import { stat } from 'node:fs/promises'
import t from 'tap'
import { systemDisk as disk } from '../../../src/rating/segments/disk.ts'

t.test('a file is appended to, read, moved and removed', async t => {
  const folder = `${t.testdir()}/a/b`
  await disk.makeFolder(folder)
  const file = await disk.openToAppend(`${folder}/x`, 0)
  await file.append([Buffer.from('hel'), Buffer.alloc(0), Buffer.from('lo')])
  await file.sync()
  await file.close()
  const longer = await disk.openToAppend(`${folder}/x`, 4)
  await longer.append([Buffer.from('!')])
  await longer.close()
  t.equal((await disk.readFile(`${folder}/x`))?.toString(), 'hell!', 'cut, then appended to')
  const reader = await disk.openToRead(`${folder}/x`)
  t.equal((await reader.read(1, 3)).toString(), 'ell')
  t.equal(await reader.size(), 5)
  await t.rejects(reader.read(3, 3), RangeError)
  await reader.close()
  await disk.rename(`${folder}/x`, `${folder}/y`)
  await disk.syncFolder(folder)
  t.same(await disk.listFolder(folder), ['y'])
  await disk.removeFolder(folder)
  await disk.removeFile(`${folder}/y`)
  await disk.removeFile(`${folder}/y`)
  await disk.removeFolder(folder)
  await disk.removeFolder(folder)
  t.same(await disk.listFolder(folder), [])
})

t.test('what is not there is told apart from what cannot be read', async t => {
  const folder = t.testdir({ file: '' })
  t.equal(await disk.readFile(`${folder}/none`), undefined)
  t.same(await disk.listFolder(`${folder}/none`), [])
  await t.rejects(disk.readFile(folder), { code: 'EISDIR' })
  await t.rejects(disk.listFolder(`${folder}/file`), { code: 'ENOTDIR' })
})

t.test('nobody else can read usage', async t => {
  const folder = `${t.testdir()}/usage`
  await disk.makeFolder(folder)
  await (await disk.openToAppend(`${folder}/x`, 0)).close()
  t.equal((await stat(folder)).mode & 0o777, 0o700)
  t.equal((await stat(`${folder}/x`)).mode & 0o777, 0o600)
})
