import t from 'tap'
import { DirtyDocuments } from '../../src/store/dirty-documents.ts'
import { type Shard, ZoneShards } from '../../src/store/zone-shards.ts'
import { recordsetRow, uuidOf, zoneRow } from '../helpers/store-rows.ts'

const zoneId = uuidOf(1)
const zoneKey = { kind: 'zone', zoneId } as const
const zone = zoneRow({ id: zoneId })
const put = (createdAt: number, before?: number) => ({
  collection: 'recordsets' as const,
  id: uuidOf(createdAt),
  before:
    before === undefined
      ? undefined
      : recordsetRow({ id: uuidOf(before), zoneId, createdAt: before }),
  after: recordsetRow({ id: uuidOf(createdAt), zoneId, createdAt }),
})

t.test('a change makes the document of its zone or collection dirty, once', async t => {
  const dirty = new DirtyDocuments(new Map())
  dirty.note([put(10), put(11)])
  dirty.note([put(12)])
  dirty.note([{ collection: 'tlds', id: 'x', before: undefined, after: undefined }])
  t.equal(dirty.size, 2)
  t.same(dirty.take(), {
    keys: [zoneKey, { kind: 'system', collection: 'tlds' }],
    haveZonesChanged: false,
  })
  t.equal(dirty.size, 0)
})

t.test('the list of zones is dirty when one comes or goes, not when it changes', async t => {
  const dirty = new DirtyDocuments(new Map())
  dirty.note([{ collection: 'zones', id: zoneId, before: zone, after: zone }])
  t.same(dirty.take(), { keys: [zoneKey], haveZonesChanged: false })
  dirty.note([{ collection: 'zones', id: zoneId, before: undefined, after: zone }])
  t.same(dirty.take(), { keys: [zoneKey], haveZonesChanged: true })
  dirty.note([{ collection: 'zones', id: zoneId, before: zone, after: undefined }])
  t.same(dirty.take(), { keys: [zoneKey], haveZonesChanged: true })
})

t.test('in a large zone the shards that a change begins and ends in are dirty', async t => {
  const shards: Shard[] = [
    { number: 1, after: null, isDirty: false },
    { number: 2, after: { createdAt: 100, id: uuidOf(100) }, isDirty: false },
    { number: 3, after: { createdAt: 200, id: uuidOf(200) }, isDirty: false },
  ]
  const dirty = new DirtyDocuments(new Map([[zoneId, new ZoneShards(shards)]]))
  dirty.note([put(250)])
  t.same(
    shards.map(({ isDirty }) => isDirty),
    [false, false, true],
  )
  dirty.note([put(150, 50)])
  t.same(
    shards.map(({ isDirty }) => isDirty),
    [true, true, true],
  )
  t.same(dirty.take().keys, [zoneKey])
})

t.test('what could not be written is dirty again, beside what became so meanwhile', async t => {
  const dirty = new DirtyDocuments(new Map())
  dirty.addZoneList()
  dirty.note([put(10)])
  const taken = dirty.take()
  dirty.add({ kind: 'system', collection: 'tlds' })
  // The zone once more: it is no longer among those that are known to be dirty.
  dirty.note([put(11)])
  dirty.putBack(taken)
  t.equal(dirty.size, 2)
  t.equal(dirty.take().haveZonesChanged, true)
})
