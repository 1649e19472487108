import t from 'tap'
import { ApiError } from '../../src/errors.ts'
import { everything } from '../../src/store/indexes.ts'
import { Dice } from '../helpers/dice.ts'
import { addresses, callerOf, openDns, primary, type TestDns } from '../helpers/dns.ts'
import { checkPublished } from '../helpers/publish-check.ts'

// Random changes by several at once, refused ones among them: whatever came of it, what is served is what is
// stored. The check that a server makes of itself finds as much as one that has nothing in common with it: nothing.

const caller = callerOf('one')
const rounds = 60
const changesAtOnce = 8

const zoneNames = ['example.com.', 'sub.example.com.', 'example.org.']
const labels = ['', 'www.', '*.', 'a.b.c.', 'b.c.', 'sub.', 'x.sub.', 'WWW.']
const values: readonly [type: string, record: string][] = [
  ['A', '192.0.2.1'],
  ['A', '192.0.2.2'],
  ['AAAA', '2001:db8::1'],
  ['CNAME', 'www.example.net.'],
  ['NS', 'ns1.example.net.'],
  ['TXT', '"text"'],
  ['DNAME', 'example.net.'],
]

for (const seed of [1, 2, 3]) {
  t.test(`what is served is what is stored after random changes (seed ${seed})`, async t => {
    const dns = await openDns({ targetNames: ['first', 'second'] })
    const dice = new Dice(seed)
    for (let round = 0; round < rounds; round += 1) {
      const changes = Array.from({ length: changesAtOnce }, () => change(dns, dice))
      await Promise.all(changes.map(each => each().catch(ignoreRefusal)))
      checkPublished(t, dns)
      t.same((await dns.consistency.check()).findings, [])
    }
    t.same(dns.problems, [])
    const restarted = await openDns({ store: dns.store })
    checkPublished(t, restarted)
    t.same((await restarted.consistency.check()).findings, [])
  })
}

/** Chooses a change, to be started with others. */
function change({ store, zones, recordsets }: TestDns, dice: Dice): () => Promise<unknown> {
  const zone = [...store.list('zones', 'all', everything)].at(dice.below(3))
  const name = dice.pick(zoneNames)
  if (zone === undefined) return () => zones.create(caller, primary(name))
  const row = [...store.list('recordsets', 'byZone', zone.id)].at(-1 - dice.below(6))
  const place = { zoneId: zone.id, id: row?.id ?? '' }
  const [type, record] = dice.pick(values)
  const draft = { ...addresses(`${dice.pick(labels)}${zone.name}`, record), type }
  const ttlSeconds = dice.pick([null, 0, 60])
  return dice.pick([
    () => zones.create(caller, primary(name)),
    () => zones.update(caller, zone.id, { ttlSeconds: dice.below(1000) }),
    ...(dice.below(8) === 0 ? [() => zones.delete(caller, zone.id)] : []),
    () => recordsets.create(caller, zone.id, { ...draft, ttlSeconds }),
    () => recordsets.create(caller, zone.id, draft),
    () => recordsets.create(caller, zone.id, { ...draft, records: [] }),
    () => recordsets.update(caller, place, { ttlSeconds }),
    () => recordsets.update(caller, place, { records: row?.type === type ? [record] : [] }),
    () => recordsets.delete(caller, place),
  ])
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}
