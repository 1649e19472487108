import { readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ScheduledBackups, saveArchive, verifyArchive } from '../../src/backup/scheduled.ts'
import { fileOf, writeArchive } from '../../src/backup/write-archive.ts'
import { type FileSystem, realFiles } from '../../src/durable/file-system.ts'

const hourMillis = 3_600_000
const info = { format: 1, version: '1', at: '2026-11-23T00:00:00.000Z' } as const
const archive = () => writeArchive(info, [fileOf('manifest.json', Buffer.from('{}'))])

t.test('a backup is made every few hours, and the oldest go', async t => {
  const directory = join(t.testdir(), 'backups')
  let now = Date.parse('2026-11-23T04:00:00Z')
  const options = { files: realFiles, directory, everyHours: 6, keep: 2 }
  const open = () =>
    new ScheduledBackups({ ...options, backups: { archive }, clock: { nowMillis: () => now } })
  await open().run()
  now += 6 * hourMillis - 1
  await open().run()
  t.same(readdirSync(directory), ['zonewright-2026-11-23T040000Z.tar'], 'not due yet')
  now += 1
  await open().run()
  now += 7 * hourMillis
  await open().run()
  const kept = ['zonewright-2026-11-23T100000Z.tar', 'zonewright-2026-11-23T170000Z.tar']
  t.same(readdirSync(directory), kept)
  for (const name of kept) t.equal((await verifyArchive(join(directory, name))).fileCount, 1)
})

t.test('backups of a clock that was ahead delay and replace none', async t => {
  const ahead = ['zonewright-2036-01-01T000000Z.tar', 'zonewright-2036-01-02T000000Z.tar']
  const directory = t.testdir(Object.fromEntries(ahead.map(name => [name, ''])))
  let now = Date.parse('2026-11-23T05:00:00Z')
  const clock = { nowMillis: () => now }
  const options = { files: realFiles, directory, everyHours: 6, keep: 2, clock }
  const scheduled = new ScheduledBackups({ ...options, backups: { archive } })
  await scheduled.run()
  const first = 'zonewright-2026-11-23T050000Z.tar'
  t.same(readdirSync(directory), [first, ahead[1]])
  await scheduled.run()
  now += 6 * hourMillis
  await scheduled.run()
  t.same(readdirSync(directory), [first, 'zonewright-2026-11-23T110000Z.tar'])
})

t.test('the oldest go when the new one has its name on the disk', async t => {
  const directory = t.testdir({ 'zonewright-2026-11-22T000000Z.tar': '' })
  const calls: string[] = []
  const files: FileSystem = {
    ...realFiles,
    rename(from, to) {
      calls.push('rename')
      return realFiles.rename(from, to)
    },
    remove(path) {
      calls.push('remove')
      return realFiles.remove(path)
    },
    syncDirectory(path) {
      calls.push('sync')
      return realFiles.syncDirectory(path)
    },
  }
  const clock = { nowMillis: () => Date.parse('2026-11-23T05:00:00Z') }
  const options = { files, directory, everyHours: 6, keep: 1, clock, backups: { archive } }
  await new ScheduledBackups(options).run()
  t.same(calls.slice(calls.indexOf('rename')), ['rename', 'sync', 'remove'])
})

t.test('what breaks off leaves the others and no file of its own', async t => {
  const directory = t.testdir({ 'a.tar': 'before' })
  async function* broken() {
    for await (const piece of archive()) {
      yield piece
      throw new Error('broken off')
    }
  }
  await t.rejects(saveArchive(realFiles, join(directory, 'a.tar'), broken()), /broken off/)
  const cut = async function* () {
    for await (const piece of archive()) yield piece.subarray(0, 100)
  }
  await t.rejects(saveArchive(realFiles, join(directory, 'a.tar'), cut()), { name: 'ArchiveError' })
  t.same(readdirSync(directory), ['a.tar'])
})

t.test('a device is not replaced by an archive', async t => {
  const path = join(t.testdir({}), 'stdout')
  symlinkSync('/dev/null', path)
  await t.rejects(saveArchive(realFiles, path, archive()), { message: /is not a regular file/ })
  t.equal(readlinkSync(path), '/dev/null')
})

t.test('what a crash left of a backup goes with the next one', async t => {
  const name = 'zonewright-2026-11-23T040000Z.tar'
  const directory = t.testdir({
    [`${name}.tmp`]: 'cut',
    'other.tar.tmp': '',
    [`${name}.tmp.gpg`]: '',
  })
  const clock = { nowMillis: () => Date.parse('2026-11-23T05:00:00Z') }
  const options = { files: realFiles, directory, everyHours: 6, keep: 2, clock }
  await new ScheduledBackups({ ...options, backups: { archive } }).run()
  const kept = ['other.tar.tmp', 'zonewright-2026-11-23T040000Z.tar.tmp.gpg']
  t.same(readdirSync(directory).sort(), [...kept, 'zonewright-2026-11-23T050000Z.tar'])
})
