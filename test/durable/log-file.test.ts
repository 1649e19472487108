import t from 'tap'
import { SyncError } from '../../src/durable/file-system.ts'
import { LogFile } from '../../src/durable/log-file.ts'
import { NoRoomError } from '../../src/durable/no-room.ts'
import {
  allLost,
  cutsLost,
  type DiskOperation,
  nothingLost,
  SimulatedDisk,
} from '../helpers/simulated-disk.ts'

const path = '/log'
/** Without the room for later appends. */
const textOf = async (disk: SimulatedDisk) =>
  (await disk.read(path))?.toString().replace(/\0+$/, '')

async function newLog(text = '') {
  const disk = new SimulatedDisk()
  const log = await LogFile.open(disk, path, { lengthOctets: 0 })
  await disk.syncDirectory('/')
  if (text !== '') await log.append(Buffer.from(text))
  return { disk, log }
}

function failOn(disk: SimulatedDisk, kind: DiskOperation['kind'], code: string): void {
  disk.before = operation => {
    if (operation.kind === kind) throw Object.assign(new Error(code), { code })
  }
}

t.test('what was appended is on the disk', async t => {
  const { disk, log } = await newLog('one')
  await log.append(Buffer.from('two'))
  t.equal(await textOf(disk.after(allLost)), 'onetwo')
})

t.test('an append makes room, and later ones go there without making the file longer', async t => {
  const { disk, log } = await newLog('one')
  await log.append(Buffer.from('two'))
  t.equal(await disk.size(path), 9)
  await log.append(Buffer.from('six'))
  t.equal(log.lengthOctets, 9)
  t.equal(await disk.size(path), 9)
  t.equal(await textOf(disk.after(allLost)), 'onetwosix')
  await log.append(Buffer.from('four'))
  t.equal(await disk.size(path), 22)
  await log.trim()
  t.equal(await disk.size(path), 13)
  t.equal(await textOf(disk.after(allLost)), 'onetwosixfour')
  await log.append(Buffer.from('!'))
  t.equal(await textOf(disk.after(allLost)), 'onetwosixfour!')
})

t.test('a long append goes over the room and beyond, and makes none', async t => {
  const { disk, log } = await newLog('one')
  await log.append(Buffer.from('two'))
  const long = 'x'.repeat(200_000)
  await log.append(Buffer.from(long))
  t.equal(await disk.size(path), log.lengthOctets)
  await log.append(Buffer.from('!'))
  t.equal(await textOf(disk.after(allLost)), `onetwo${long}!`)
})

t.test('a write into the room that fails leaves the content unknown', async t => {
  const { disk, log } = await newLog('one')
  await log.append(Buffer.from('two'))
  failOn(disk, 'append', 'ENOSPC')
  await t.rejects(log.append(Buffer.from('six')), SyncError)
  t.ok(log.hasFailed)
  await log.trim()
  t.equal(await disk.size(path), 9, 'so nothing is cut off')
})

t.test('a file is cut off behind what is sound, for good', async t => {
  const { disk } = await newLog('soundtorn')
  const log = await LogFile.open(disk, path, { lengthOctets: 5 })
  t.equal(await textOf(disk.after(cutsLost)), 'sound')
  await log.append(Buffer.from('!'))
  t.equal(await textOf(disk.after(allLost)), 'sound!')
})

t.test('what a killed process had written is synced when it is gone on from', async t => {
  const { disk, log } = await newLog('one')
  disk.failsAt = disk.changeCount + 2
  t.notOk(log.hasFailed)
  await t.rejects(log.append(Buffer.from('two')), SyncError)
  t.ok(log.hasFailed)
  const left = disk.after(nothingLost)
  // A survivor's octets are durable; here they are in the memory of the machine only.
  disk.failsAt = Number.POSITIVE_INFINITY
  await LogFile.open(disk, path, { lengthOctets: 6 })
  t.equal(await textOf(disk.after(allLost)), await textOf(left))
})

t.test(
  'an append that has no room leaves nothing, whatever is lost, and others follow',
  async t => {
    for (let room = 0; room < 5; room += 1) {
      const { disk, log } = await newLog('one')
      disk.capacityOctets = disk.usedOctets + room
      await t.rejects(log.append(Buffer.from('large')), NoRoomError)
      for (const loss of [allLost, cutsLost, nothingLost])
        t.equal(await textOf(disk.after(loss)), 'one', `${room} octets of room`)
      disk.capacityOctets = Number.POSITIVE_INFINITY
      await log.append(Buffer.from('two'))
      t.equal(await textOf(disk.after(allLost)), 'onetwo')
    }
  },
)

t.test('nothing is appended once it is not known what the file holds', async t => {
  for (const [kind, code] of [
    ['append', 'EIO'],
    ['sync', 'ENOSPC'],
  ] as const) {
    const { disk, log } = await newLog('one')
    failOn(disk, kind, code)
    await t.rejects(log.append(Buffer.from('two')))
    disk.before = () => undefined
    const { changeCount } = disk
    await t.rejects(log.append(Buffer.from('two')), `${code} of ${kind}`)
    t.equal(disk.changeCount, changeCount, 'it is not even tried')
  }
})

t.test('where what was written cannot be taken back, it is not tried again', async t => {
  for (const kind of ['truncate', 'sync'] as const) {
    const { disk, log } = await newLog('one')
    disk.capacityOctets = disk.usedOctets + 2
    failOn(disk, kind, 'EIO')
    const error = await log.append(Buffer.from('two')).catch(error => error)
    t.notOk(error instanceof NoRoomError, kind)
    disk.before = () => undefined
    disk.capacityOctets = Number.POSITIVE_INFINITY
    await t.rejects(log.append(Buffer.from('two')))
  }
})

t.test('a file that cannot be made for want of room can be made later', async t => {
  const disk = new SimulatedDisk()
  for (const code of ['ENOSPC', 'EMFILE']) {
    failOn(disk, 'create', code)
    await t.rejects(LogFile.open(disk, path, { lengthOctets: 0 }), NoRoomError, code)
  }
  failOn(disk, 'create', 'EACCES')
  await t.rejects(LogFile.open(disk, path, { lengthOctets: 0 }), { code: 'EACCES' })
})

t.test('other work is done while the disk works, where an append waits for it', async t => {
  const { disk, log } = await newLog()
  const calls: string[] = []
  disk.before = async ({ kind }) => {
    await undefined
    calls.push(kind)
  }
  await log.append(Buffer.from('one'), () => calls.push('meanwhile'))
  t.same(calls, ['meanwhile', 'append', 'sync'])
  const late = await LogFile.open(disk, '/late', { lengthOctets: 0, isSynced: false })
  calls.length = 0
  await late.append(Buffer.from('two'), () => calls.push('never'))
  t.same(calls, ['append'])
  t.equal(await disk.after(allLost).size('/late'), 0)
})
