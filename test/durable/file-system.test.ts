import { rename, rm, stat } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { type FileSystem, realFiles, SyncError } from '../../src/durable/file-system.ts'
import { allLost, SimulatedDisk } from '../helpers/simulated-disk.ts'

/** The machine's files and their twin, each with a directory. */
const kinds: readonly [string, (t: Test) => readonly [FileSystem, string]][] = [
  ['real files', t => [realFiles, t.testdir()]],
  ['simulated files', () => [new SimulatedDisk(), '/srv']],
]

for (const [kind, open] of kinds) {
  t.test(`${kind}: a file is appended to, cut, read, moved and removed`, async t => {
    const [files, root] = open(t)
    const directory = `${root}/a/b`
    await files.makeDirectory(directory)
    const file = await files.create(`${directory}/x`)
    await file.append(Buffer.from('hel'))
    await file.append(Buffer.from('lo'))
    await file.sync()
    t.equal(await file.size(), 5)
    await file.close()
    const longer = await files.open(`${directory}/x`)
    await longer.truncate(4)
    await longer.append(Buffer.from('!'))
    await longer.close()
    t.equal((await files.read(`${directory}/x`))?.toString(), 'hell!', 'cut, then appended to')
    const reader = await files.openToRead(`${directory}/x`)
    t.equal((await reader.read(1, 3)).toString(), 'ell')
    t.equal(await reader.size(), 5)
    await t.rejects(reader.read(3, 3), RangeError)
    await reader.close()
    await files.rename(`${directory}/x`, `${directory}/y`)
    await files.syncDirectory(directory)
    t.same(await files.list(directory), ['y'])
    await files.removeEmptyDirectory(directory)
    t.same(await files.list(directory), ['y'], 'a directory with a file in it stays')
    await files.remove(`${directory}/y`)
    await files.remove(`${directory}/y`)
    await files.removeEmptyDirectory(directory)
    await files.removeEmptyDirectory(directory)
    t.same(await files.list(`${root}/a`), [])
  })

  t.test(`${kind}: appends can be synced by themselves`, async t => {
    const [files, root] = open(t)
    await files.makeDirectory(root)
    await (await files.open(`${root}/x`, 'synced')).close()
    const file = await files.open(`${root}/x`, 'synced')
    await file.append(Buffer.from('hel'))
    await file.append(Buffer.from('lo'))
    t.equal(await file.size(), 5)
    await file.truncate(4)
    await file.sync()
    await file.append(Buffer.from('!'))
    await file.close()
    t.equal((await files.read(`${root}/x`))?.toString(), 'hell!')
    if (files instanceof SimulatedDisk) {
      files.failsAt = files.changeCount + 2
      await t.rejects(file.append(Buffer.from('lost')), SyncError, 'written, and not synced')
    }
  })

  t.test(`${kind}: octets can be replaced where appends are synced by themselves`, async t => {
    const [files, root] = open(t)
    await files.makeDirectory(root)
    const file = await files.open(`${root}/x`, 'synced')
    await file.append(Buffer.from('abc'))
    await file.writeAt?.(Buffer.from('B'), 1)
    t.equal((await files.read(`${root}/x`))?.toString(), 'aBc')
    await file.writeAt?.(Buffer.from('CD'), 2)
    await file.append(Buffer.from('E'))
    t.equal((await files.read(`${root}/x`))?.toString(), 'aBCDE')
    await file.close()
    if (files instanceof SimulatedDisk) {
      await files.syncDirectory('/')
      await files.syncDirectory(root)
      t.equal((await files.after(allLost).read(`${root}/x`))?.toString(), 'aBCDE')
    }
  })

  t.test(`${kind}: what is not there is distinguished from what cannot be read`, async t => {
    const [files, root] = open(t)
    await files.makeDirectory(root)
    await (await files.create(`${root}/file`)).close()
    t.equal(await files.read(`${root}/none`), undefined)
    t.same(await files.list(`${root}/none`), [])
    t.equal(await files.size(`${root}/none`), 0)
    t.equal((await files.readPiece(`${root}/none`, 0, 10)).length, 0)
    await t.rejects(files.read(root), { code: 'EISDIR' })
    await t.rejects(files.list(`${root}/file`), { code: 'ENOTDIR' })
    await t.rejects(files.openToRead(`${root}/none`), { code: 'ENOENT' })
  })

  t.test(
    `${kind}: a second name outlasts the first and takes the place of what had it`,
    async t => {
      const [files, root] = open(t)
      await files.makeDirectory(root)
      for (const [name, text] of [
        ['old', 'first'],
        ['new', 'second'],
      ]) {
        const file = await files.create(`${root}/${name}`)
        await file.append(Buffer.from(text!))
        await file.close()
      }
      await files.link(`${root}/new`, `${root}/old`)
      await files.link(`${root}/none`, `${root}/old`)
      await files.remove(`${root}/new`)
      t.equal((await files.read(`${root}/old`))?.toString(), 'second')
    },
  )
}

t.test('a directory in the place of a file, which cannot have two names, is moved', async t => {
  const root = t.testdir()
  await realFiles.makeDirectory(`${root}/x`)
  await realFiles.link(`${root}/x`, `${root}/y`)
  t.same(await realFiles.list(root), ['y'])
})

t.test('nobody else can read what is stored', async t => {
  const directory = `${t.testdir()}/store`
  await realFiles.makeDirectory(directory)
  await (await realFiles.create(`${directory}/x`)).close()
  t.equal((await stat(directory)).mode & 0o777, 0o700)
  t.equal((await stat(`${directory}/x`)).mode & 0o777, 0o600)
})

t.test('a file that somebody has removed cannot be synced', async t => {
  const path = `${t.testdir()}/x`
  const file = await realFiles.create(path)
  await file.append(Buffer.from('x'))
  await file.sync()
  await rm(path)
  await t.rejects(file.sync(), { message: /was removed or moved while in use/ })
  await file.close()
  const synced = await realFiles.open(path, 'synced')
  await synced.append(Buffer.from('x'))
  await rm(path)
  await t.rejects(synced.append(Buffer.from('y')), { message: /was removed or moved while in use/ })
  await synced.close()
})

t.test('a file that somebody has moved with its directory cannot be synced', async t => {
  const directory = t.testdir({ a: {} })
  const file = await realFiles.create(`${directory}/a/x`)
  const synced = await realFiles.open(`${directory}/a/y`, 'synced')
  await synced.append(Buffer.from('y'))
  await rename(`${directory}/a`, `${directory}/b`)
  await t.rejects(file.sync(), { message: /was removed or moved while in use/ })
  await t.rejects(synced.append(Buffer.from('y')), { message: /was removed or moved while in use/ })
  await file.close()
  await synced.close()
})

t.test('a synced append that the disk has no room for is not one that was not synced', async t => {
  const file = await realFiles.open('/dev/full', 'synced')
  await t.rejects(file.append(Buffer.from('x')), { code: 'ENOSPC' })
  await file.close()
})
