import fc from 'fast-check'
import t from 'tap'
import { packRun } from '../../src/model/recordset-run.ts'
import { everything, keyOf } from '../../src/store/indexes.ts'
import type { Commit, Store, StoreReader, Transaction } from '../../src/store/store.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'
import { recordsetRow, uuidOf, zoneRow } from '../helpers/store-rows.ts'

// Changes of other zones overtake a large commit of one zone while that is shown.

const largeCount = 120
const zoneIds = [1, 2, 3].map(number => uuidOf(10_000 + number))
const kinds = [
  'make packed',
  'make',
  'replace',
  'delete',
  'one',
  'one gone',
  'read',
  'refused',
] as const
type Work = { readonly kind: (typeof kinds)[number]; readonly zone: number; readonly row: number }

const nameOf = (row: number) => `host${row}.example.com.`
const idOf = (zone: number, row: number) => uuidOf(1000 * zone + row)
const rowsOfLarge = Array.from({ length: largeCount }, (_, i) => i)

function rowOf({ zone, row, version }: { zone: number; row: number; version: number }) {
  const place = { id: idOf(zone, row), zoneId: zoneIds[zone] as string, createdAt: row + 1 }
  return recordsetRow({ ...place, name: nameOf(row), version })
}

/** What a transaction or a reader sees. */
function seen(reader: StoreReader, { zone, row }: Pick<Work, 'zone' | 'row'>) {
  return {
    counts: zoneIds.map(id => reader.count('recordsets', 'byZone', id)),
    sums: zoneIds.map(id => reader.sum('recordsets', 'recordsOfZone', id)),
    zones: [...reader.list('zones', 'all', everything)].map(({ id, version }) => [id, version]),
    row: reader.get('recordsets', idOf(zone, row))?.version,
    named: reader.find('recordsets', 'byNameAndType', keyOf(zoneIds[zone] ?? '', nameOf(row), 'A')),
    listed: [...reader.list('recordsets', 'byZone', zoneIds[zone] ?? '')].map(({ id }) => id),
  }
}

/** Does a work in a transaction. Every change of recordsets changes the row of their zone. */
function change(tx: Transaction, { kind, zone, row }: Work): void {
  const zoneId = zoneIds[zone] as string
  const before = tx.get('zones', zoneId)
  if (kind === 'refused') throw new Error('refused')
  if (before === undefined || kind === 'read') return
  const there = rowsOfLarge.filter(i => tx.get('recordsets', idOf(zone, i)) !== undefined)
  const missing = rowsOfLarge.filter(i => !there.includes(i))
  const version = before.version + 1
  tx.put('zones', { ...before, version })
  if (kind === 'one') tx.put('recordsets', rowOf({ zone, row, version }))
  if (kind === 'one gone') tx.delete('recordsets', idOf(zone, row))
  if (kind === 'replace')
    for (const i of there) tx.put('recordsets', rowOf({ zone, row: i, version }))
  if (kind === 'delete') for (const i of there) tx.delete('recordsets', idOf(zone, i))
  const made = missing.map(i => rowOf({ zone, row: i, version }))
  if (kind === 'make') for (const each of made) tx.put('recordsets', each)
  if (kind === 'make packed' && made.length > 0) tx.insertRecordsets(packRun(made))
}

async function openWithZones(): Promise<Store> {
  const store = openMemoryStore({ clock: fakeClock() })
  await store.commit(tx => {
    for (const [i, id] of zoneIds.entries())
      tx.put('zones', zoneRow({ id, name: `zone${i}.example.`, createdAt: i + 1 }))
  })
  return store
}

const arbitraryWork: fc.Arbitrary<Work> = fc.record({
  kind: fc.constantFrom(...kinds),
  zone: fc.nat(zoneIds.length - 1),
  row: fc.nat(largeCount - 1),
})

t.test(
  'each change reads what all before it have left, and is seen when it is answered',
  async t => {
    const property = fc.asyncProperty(
      fc.array(fc.tuple(arbitraryWork, fc.nat(30)), { minLength: 5, maxLength: 40 }),
      async works => {
        const store = await openWithZones()
        const heard: number[] = []
        const followed: number[] = []
        store.setCommitListener(
          function* ({ lsn, rowChanges }) {
            for (const _ of rowChanges) yield
            heard.push(lsn)
          },
          ({ lsn }) => void followed.push(lsn),
        )
        const ran: { work: Work; saw: unknown }[] = []
        const versions = new Map<number, number>()
        const doOne = async (work: Work): Promise<void> => {
          await store
            .commit(tx => {
              ran.push({ work, saw: seen(tx, work) })
              change(tx, work)
              return tx.get('zones', zoneIds[work.zone] as string)?.version ?? 0
            })
            .then(
              version => {
                const now = store.get('zones', zoneIds[work.zone] as string)?.version ?? 0
                if (now < version) throw new Error(`answered before it is seen: ${work.kind}`)
                versions.set(work.zone, Math.max(version, versions.get(work.zone) ?? 0))
              },
              error => {
                if (error.message !== 'refused') throw error
              },
            )
        }
        const all: Promise<void>[] = []
        for (const [work, turns] of works) {
          all.push(doOne(work))
          for (let i = 0; i < turns; i += 1) await new Promise(resolve => setImmediate(resolve))
        }
        await Promise.all(all)
        const twin = await openWithZones()
        for (const { work, saw } of ran) {
          const wanted = await twin
            .commit(tx => {
              const wanted = seen(tx, work)
              change(tx, work)
              return wanted
            })
            .catch(() => undefined)
          if (wanted !== undefined) t.same(saw, wanted)
        }
        for (const zone of zoneIds.keys())
          t.same(seen(store, { zone, row: 0 }), seen(twin, { zone, row: 0 }))
        const inOrder = Array.from({ length: store.lastLsn - 1 }, (_, i) => i + 2)
        t.same(followed, inOrder)
        t.same(
          [...heard].sort((one, other) => one - other),
          inOrder,
        )
        t.equal(store.lastLsn, twin.lastLsn)
      },
    )
    await fc.assert(property, { numRuns: 30 })
  },
)

/** A store in which the commit of a zone is published when it is let go. */
async function heldStore(zone: number) {
  const store = await openWithZones()
  const begun = Promise.withResolvers<void>()
  const isOf = ({ rowChanges }: Commit) => rowChanges.some(({ id }) => id === zoneIds[zone])
  let isHeld = true
  const order: string[] = []
  store.setCommitListener(
    commit => (isOf(commit) && isHeld ? held() : undefined),
    ({ lsn }) => void order.push(`followed ${lsn}`),
  )
  function* held() {
    begun.resolve()
    while (isHeld) yield
  }
  const make = async (work: Omit<Work, 'row'> & { row?: number }, title: string) => {
    await store.commit(tx => change(tx, { row: 0, ...work }))
    order.push(title)
  }
  const letGo = () => {
    isHeld = false
  }
  return { store, begun: begun.promise, make, order, letGo }
}

t.test('a change of another zone is answered before a large one is served', async t => {
  const { store, begun, make, order, letGo } = await heldStore(0)
  const large = make({ kind: 'make packed', zone: 0 }, 'large')
  await begun
  await make({ kind: 'one', zone: 1 }, 'other zone')
  t.equal(store.count('recordsets', 'byZone', zoneIds[1] as string), 1)
  t.equal(store.lastLsn, 1, 'what is behind a gap is not the last')
  const same = make({ kind: 'one', zone: 0, row: 5 }, 'same zone')
  const nothing = store.commit(() => undefined).then(() => order.push('nothing'))
  const behind = make({ kind: 'one', zone: 2 }, 'behind that')
  letGo()
  await Promise.all([large, same, nothing, behind])
  const answered = order.filter(line => !line.startsWith('followed'))
  t.same(answered, ['other zone', 'large', 'same zone', 'nothing', 'behind that'])
  t.same(
    order.filter(line => line.startsWith('followed')),
    [2, 3, 4, 5].map(lsn => `followed ${lsn}`),
  )
})

t.test('a store that is closed waits for a large commit to be served', async t => {
  const { store, begun, make, order, letGo } = await heldStore(0)
  const large = make({ kind: 'make', zone: 0 }, 'large')
  await begun
  const closed = store.close().then(() => order.push('closed'))
  letGo()
  await Promise.all([large, closed])
  t.same(order, ['followed 2', 'large', 'closed'])
})
