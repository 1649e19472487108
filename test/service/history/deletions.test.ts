import t from 'tap'
import { Deletions } from '../../../src/service/history/deletions.ts'
import type { PastCommit, ZoneCommit } from '../../../src/store/store.ts'
import { uuidOf, zoneRow } from '../../helpers/store-rows.ts'

const commitAt = (lsn: number): ZoneCommit => ({
  ...{ lsn, atMicros: 1000 * lsn, octetCount: 100, serial: undefined },
  place: { segment: 1, at: lsn },
})

/** A log of commits that each delete a zone and change another, but for those that it has lost. */
function logOf(lost: ReadonlySet<number>) {
  const readLsns: number[] = []
  async function* readCommits(commits: readonly ZoneCommit[]) {
    for (const { lsn, atMicros } of commits) {
      readLsns.push(lsn)
      if (lost.has(lsn)) continue
      const changed = zoneRow({ id: uuidOf(9999) })
      const changes = [
        { collection: 'zones', id: changed.id, before: changed, after: changed },
        { collection: 'zones', id: uuidOf(lsn), before: zoneRow({ id: uuidOf(lsn) }) },
      ]
      yield { lsn, atMicros, changes } as unknown as PastCommit
    }
  }
  return { readLsns, readCommits }
}

t.test(
  'what was deleted is read once, in the order of the log, and given in that asked for',
  async t => {
    const log = logOf(new Set())
    const deletions = new Deletions(log)
    const of = async (...lsns: number[]) =>
      (await deletions.of(lsns.map(commitAt))).map(({ lsn, deletedAtMicros, zone }) => {
        t.same([zone.id, deletedAtMicros], [uuidOf(lsn), 1000 * lsn])
        return lsn
      })
    t.same(await of(7, 5, 3), [7, 5, 3])
    t.same(log.readLsns.splice(0), [3, 5, 7])
    t.same(await of(9, 7, 5), [9, 7, 5])
    t.same(log.readLsns.splice(0), [9])
    t.same(await of(9, 3), [9, 3])
    t.same(log.readLsns, [])
  },
)

t.test('what cannot be read is left out, and tried again', async t => {
  const lost = new Set([5])
  const log = logOf(lost)
  const deletions = new Deletions(log)
  const lsnsOf = async () => (await deletions.of([6, 5].map(commitAt))).map(({ lsn }) => lsn)
  t.same(await lsnsOf(), [6])
  lost.clear()
  t.same(await lsnsOf(), [6, 5])
})

t.test('what is kept is bounded', async t => {
  const log = logOf(new Set())
  const deletions = new Deletions(log)
  const all = Array.from({ length: 4_001 }, (_, i) => commitAt(i + 1))
  t.equal((await deletions.of(all)).length, all.length)
  log.readLsns.length = 0
  await deletions.of(all.slice(1))
  t.same(log.readLsns, [])
  await deletions.of(all.slice(0, 1))
  t.same(log.readLsns, [1])
})
