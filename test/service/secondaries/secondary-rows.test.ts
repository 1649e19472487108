import t from 'tap'
import { Bulk } from '../../../src/bulk/bulk.ts'
import { runRecordsets } from '../../../src/model/recordset-run.ts'
import { defaultRefreshBounds as bounds, dueAtOnce } from '../../../src/model/refresh.ts'
import { stepRecordsets } from '../../../src/service/changes/step-commits.ts'
import { ownFailure } from '../../../src/service/secondaries/refresh-failure.ts'
import {
  findUnchanged,
  installCopy,
  markExpired,
  noteCurrent,
  noteFailure,
} from '../../../src/service/secondaries/secondary-rows.ts'
import type { Commit, Store } from '../../../src/store/store.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { copyFromText } from '../../helpers/scripted-client.ts'
import { newSecondary } from '../../helpers/secondary-zone.ts'

const bulk = new Bulk({ maxThreads: 0 })
const momentAt = (atMicros: number) => ({ atMicros, random: 0, bounds })
const soa = '@ 300 SOA ns. host. 7 3600 600 86400 60'

async function bench() {
  const clock = fakeClock()
  const store = openMemoryStore({ clock })
  const zone = newSecondary({}, clock.nowMillis() * 1000)
  await store.commit(tx => tx.put('zones', zone))
  const commits: Commit[] = []
  store.setCommitListener(commit => void commits.push(commit))
  return { clock, store, zone, commits, row: () => store.get('zones', zone.id)! }
}

t.test('a zone is unchanged until it goes or gets other masters', async t => {
  const { store, zone } = await bench()
  const put = (changes: object) => store.commit(tx => tx.put('zones', { ...zone, ...changes }))
  await put({ description: 'other', version: 2 })
  t.match(findUnchanged(store, zone), { version: 2 })
  await put({ masters: ['192.0.2.9'] })
  t.equal(findUnchanged(store, zone), undefined)
  await put({ isDeleting: true })
  t.equal(findUnchanged(store, zone), undefined)
  await store.commit(tx => tx.delete('zones', zone.id))
  t.equal(findUnchanged(store, zone), undefined)
})

const lines = (count: number, address: string) =>
  Array.from({ length: count }, (_, i) => `h${i} 60 A ${address}`).join('\n')

t.test('a small difference is one commit with the zone', async t => {
  const { store, zone, commits, row } = await bench()
  const first = copyFromText(`${soa}\n${lines(99, '192.0.2.1')}`)
  t.equal(await installCopy(store, zone, { bulk, copy: first, momentAt }), 100)
  const second = copyFromText(`${soa.replace(' 7 ', ' 8 ')}\n${lines(79, '192.0.2.1')}`)
  t.equal(await installCopy(store, row(), { bulk, copy: second, momentAt }), 21)
  t.strictSame(
    commits.map(commit => commit.changes.length),
    [101, 22],
  )
  t.match(row(), { serial: 8, transfer: { isReplacing: false } })
})

t.test('a large one comes in several, the zone marked from the first to the last', async t => {
  const { store, zone, commits, row } = await bench()
  const first = copyFromText(`${soa}\n${lines(runRecordsets + 50, '192.0.2.1')}`)
  t.equal(await installCopy(store, zone, { bulk, copy: first, momentAt }), runRecordsets + 51)
  const second = copyFromText(`${soa.replace(' 7 ', ' 8 ')}\nnew 5 TXT x`)
  t.equal(await installCopy(store, row(), { bulk, copy: second, momentAt }), runRecordsets + 52)
  const states = commits.map(({ changes }) => {
    const change = changes.find(({ collection }) => collection === 'zones')
    const after = change?.collection === 'zones' ? change.after : undefined
    return [after?.serial, after?.transfer?.isReplacing]
  })
  t.strictSame(states, [
    [1, true],
    [7, false],
    [7, true],
    ...Array.from({ length: Math.ceil((runRecordsets + 50) / stepRecordsets) }, () => [
      undefined,
      undefined,
    ]),
    [8, false],
  ])
  t.ok(commits.every(({ changes }) => changes.length <= runRecordsets + 1))
  t.equal(store.count('recordsets', 'byZone', zone.id), 2)
})

t.test('a copy whose zone gets other masters in between stays marked', async t => {
  const { store, zone, commits, row } = await bench()
  store.setCommitListener(commit => {
    commits.push(commit)
    if (commits.length > 1) return
    void store.commit(tx => {
      const transfer = dueAtOnce(row().transfer, tx.atMicros)
      tx.put('zones', { ...row(), masters: ['192.0.2.9'], transfer })
    })
  })
  const copy = copyFromText(`${soa}\n${lines(5000, '192.0.2.1')}`)
  t.equal(await installCopy(store, zone, { bulk, copy, momentAt }), undefined)
  t.match(row(), { serial: 1, transferredAt: null, transfer: { isReplacing: true } })
})

t.test('of several steps under way that fail, the caller sees one failure', async t => {
  const { store, zone } = await bench()
  const refusing: Store = { ...store, commit: () => Promise.reject(new Error('the disk is full')) }
  const copy = copyFromText(`${soa}\n${lines(5000, '192.0.2.1')}`)
  await t.rejects(installCopy(refusing, zone, { bulk, copy, momentAt }), {
    message: 'the disk is full',
  })
})

t.test('nothing is written for a zone that is not wanted any more', async t => {
  const { store, zone, commits } = await bench()
  await store.commit(tx => tx.put('zones', { ...zone, isDeleting: true }))
  commits.length = 0
  const copy = copyFromText(soa)
  t.equal(await installCopy(store, zone, { bulk, copy, momentAt }), undefined)
  await noteCurrent(store, zone, { momentAt })
  await noteFailure(store, zone, { failure: ownFailure('gone'), momentAt })
  t.strictSame(commits, [])
})

t.test('what is noted of a refresh counts as a write and not as a change', async t => {
  const { store, zone, row } = await bench()
  await noteFailure(store, zone, { failure: ownFailure('gone'), momentAt })
  t.match(row(), { version: 2, updatedAt: null, transfer: { failure: 'gone' } })
  await noteCurrent(store, zone, { momentAt })
  t.match(row(), { version: 3, updatedAt: null, transfer: { failure: null } })
})

t.test('only a copy that is too old at the time of the commit expires', async t => {
  const { clock, store, zone, row } = await bench()
  await installCopy(store, zone, { bulk, copy: copyFromText(soa), momentAt })
  t.strictSame(await markExpired(store, [zone.id, 'no-such-zone'], bounds), [])
  clock.advanceMillis(86_400_001)
  t.strictSame(await markExpired(store, [zone.id], bounds), [{ zone: 'example.', reason: null }])
  t.equal(row().transfer?.isExpired, true)
  t.strictSame(await markExpired(store, [zone.id], bounds), [])
})
