import t from 'tap'
import { SyncError } from '../../src/durable/file-system.ts'
import { NoRoomError } from '../../src/durable/no-room.ts'
import {
  hasRoom,
  isForWantOfRoom,
  readOnlyReasonOf,
  Writability,
} from '../../src/durable/writability.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'

const noSpace = Object.assign(new Error('ENOSPC: no space left, write'), { code: 'ENOSPC' })

t.test('want of room passes', t => {
  const writability = new Writability()
  t.equal(writability.reason, undefined)
  t.ok(writability.fail(new NoRoomError(noSpace)))
  t.notOk(writability.fail(noSpace), 'that it goes on is nothing new')
  t.match(writability.reason, /^the disk is full: .* again when/)
  t.same([writability.isWaiting, writability.hasFailed], [true, false])
  writability.resume()
  t.equal(writability.reason, undefined)
  t.end()
})

t.test('any other failure stays, also where there was no room before', t => {
  const writability = new Writability()
  writability.fail(noSpace)
  writability.fail(new SyncError('/file', noSpace))
  writability.resume()
  t.match(writability.reason, /after a restart/)
  t.notMatch(writability.reason, /file/, 'a path is nobody’s business')
  t.match(writability.error, { name: 'SyncError' })
  t.same([writability.isWaiting, writability.hasFailed], [false, true])
  t.end()
})

t.test('a sync that failed for want of room is no want of room', t => {
  t.ok(isForWantOfRoom(noSpace))
  t.notOk(isForWantOfRoom(new SyncError('/file', noSpace)))
  t.notOk(isForWantOfRoom(undefined))
  t.end()
})

t.test('whether there is room is found out by writing, and leaves nothing', async t => {
  const disk = new SimulatedDisk()
  disk.capacityOctets = 2 ** 20 - 1
  t.notOk(await hasRoom(disk, '/d'))
  disk.capacityOctets = 2 ** 20
  t.notOk(await hasRoom(disk, '/none'), 'there is no such directory')
  await disk.makeDirectory('/d')
  t.ok(await hasRoom(disk, '/d'))
  t.same(disk.paths, [])
})

t.test('one of several that does not write is why changes are refused', async t => {
  const writing = { readOnlyReason: undefined }
  t.equal(readOnlyReasonOf([writing, writing]), undefined)
  t.equal(readOnlyReasonOf([writing, { readOnlyReason: 'the disk is full' }]), 'the disk is full')
})
