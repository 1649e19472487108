// Question: what does the zone table cost as it grows: memory and time for each record, time for an answer, time
//   for a change, and does it stay the same when names are added and removed?
// Method: one zone of so many A records (1 thousand, 100 thousand, 1 and 5 million unless sizes are given), each in
//   a table of its own. Answers are whole ones, from octets to octets, to 65,536 random names of the zone, median
//   of 9 rounds. Changes replace the address of random names; churn removes a random name and adds a new one, a
//   million times; both in the same table. Withdrawing is one call, and then the zone is taken apart in steps.
// A good number: at most 120 octets a record; an answer of 5 million records within 1 us of one of a thousand, as
//   the kernel's 7 to 8 us for each make that 0.9 of the rate; a change below 5 us, whatever the size; churn that
//   touches no more memory than before; no step above 20 ms.
// Not measured: sockets, readers beside the writer, RRsets of other types, names of other lengths.

import { setFlagsFromString } from 'node:v8'
import { types } from '../../src/dns/codes.ts'
import { type Name, parseName } from '../../src/dns/name.ts'
import { openResponder, type Responder } from '../../src/nameserver/responder.ts'
import { inliningFlag } from '../../src/transport/threads/deep-inlining.ts'
import type { Rrset } from '../../src/zone/rrset.ts'
import type { TableZone } from '../../src/zone/table/table-zone.ts'
import { ZoneTable } from '../../src/zone/table/zone-table.ts'
import { queryFor } from '../../test/helpers/ask.ts'
import { Dice } from '../../test/helpers/dice.ts'
import { rrsetsFromText } from '../../test/helpers/zone.ts'
import { answerInBatches } from './load/answer-batches.ts'
import { machineLine } from './report/machine.ts'
import { timeRounds } from './report/rounds.ts'

const questionCount = 65_536
const roundCount = 9
const changeCount = 200_000
const churnCount = 1_000_000
const namesAtOnce = 10_000
const dice = new Dice(1)

function main(): void {
  setFlagsFromString(inliningFlag)
  const sizes = process.argv.slice(2).map(Number)
  for (const size of sizes.length > 0 ? sizes : [1000, 100_000, 1_000_000, 5_000_000]) measure(size)
  console.log(machineLine())
}

function measure(size: number): void {
  console.log(`${size.toLocaleString('en')} records`)
  const table = ZoneTable.create({ randomWord: () => dice.below(2 ** 32) })
  const target = table.addTarget()
  const [soa] = rrsetsFromText('example.com. 3600 SOA ns1 hostmaster 1 7200 900 1209600 300')
  if (soa === undefined) throw new Error('no SOA')
  const zone = table.createZone(soa)
  target.publish(zone)
  const before = table.usage.usedOctets
  const put = timedInChunks(
    size,
    i => [nameOf(i)] as const,
    ([owner]) => zone.putRrset(owner, address()),
  )
  print('building a record', `${ns(put.meanNs)}, slowest of 10,000 ${ms(put.slowestNs)}`)
  const usedOctets = (table.usage.usedOctets - before) / size
  const touchedOctets = table.usage.touchedOctets / size
  print('octets a record', `${usedOctets.toFixed(1)}, in pages ${touchedOctets.toFixed(1)}`)
  const responder = openResponder(table.readers.open(target).handle)
  print('an answer', ns(answerNs(responder, size)))
  reportChanges(zone, size)
  reportChurn(table, zone, size)
  reportWithdrawal(table, () => target.withdraw(zone.apex), size)
}

function answerNs(responder: Responder, size: number): number {
  const requests = Array.from({ length: questionCount }, () =>
    queryFor(`host${dice.below(size)}.example.com. A`, { edns: {} }),
  )
  const { medianNs } = timeRounds(() => answerInBatches(responder, requests), {
    roundCount,
    itemCount: questionCount,
  })
  return medianNs
}

function reportChanges(zone: TableZone, size: number): void {
  const names = () => [nameOf(dice.below(size))] as const
  const changed = timedInChunks(changeCount, names, ([owner]) => zone.putRrset(owner, address()))
  print('changing a record', ns(changed.meanNs))
}

function reportChurn(table: ZoneTable, zone: TableZone, size: number): void {
  const { touchedOctets } = table.usage
  const present = Int32Array.from({ length: size }, (_, i) => i)
  let next = size
  const names = (): readonly [Name, Name] => {
    const at = dice.below(size)
    const gone = nameOf(present[at] ?? 0)
    present[at] = next
    next += 1
    return [gone, nameOf(next - 1)]
  }
  const churn = timedInChunks(churnCount, names, ([gone, added]) => {
    zone.removeRrset(gone, types.A)
    zone.putRrset(added, address())
  })
  const growth = (table.usage.touchedOctets - touchedOctets) / touchedOctets
  print('removing one, adding one', `${ns(churn.meanNs)}, memory ${percent(growth)}`)
}

function reportWithdrawal(table: ZoneTable, withdraw: () => void, size: number): void {
  const startedAt = process.hrtime.bigint()
  withdraw()
  const withdrawnNs = Number(process.hrtime.bigint() - startedAt)
  let slowestNs = 0
  const collectingAt = process.hrtime.bigint()
  for (let isDone = false; !isDone; ) {
    const stepAt = process.hrtime.bigint()
    isDone = table.reclaim(1000) === 'nothing'
    slowestNs = Math.max(slowestNs, Number(process.hrtime.bigint() - stepAt))
  }
  const collectedNs = Number(process.hrtime.bigint() - collectingAt) / size
  print('withdrawing the zone', `${ns(withdrawnNs)}, then ${ns(collectedNs)} a name`)
  print('', `slowest step of 1,000 names ${ms(slowestNs)}`)
}

/** Times `work` alone, not the making of its names. */
function timedInChunks<Names extends readonly Name[]>(
  count: number,
  namesOf: (i: number) => Names,
  work: (names: Names) => void,
): { meanNs: number; slowestNs: number } {
  let totalNs = 0
  let slowestNs = 0
  for (let start = 0; start < count; start += namesAtOnce) {
    const length = Math.min(namesAtOnce, count - start)
    const chunk = Array.from({ length }, (_, i) => namesOf(start + i))
    const startedAt = process.hrtime.bigint()
    for (const names of chunk) work(names)
    const chunkNs = Number(process.hrtime.bigint() - startedAt)
    totalNs += chunkNs
    slowestNs = Math.max(slowestNs, chunkNs)
  }
  return { meanNs: totalNs / count, slowestNs }
}

function nameOf(i: number): Name {
  return parseName(`host${i}.example.com.`)
}

function address(): Rrset {
  const octet = dice.below(250)
  return { type: types.A, ttlSeconds: 300, rdatas: [Uint8Array.of(192, 0, 2, octet)] }
}

function print(title: string, text: string): void {
  console.log(`  ${title.padEnd(28)} ${text}`)
}

function ns(nanoseconds: number): string {
  return `${Math.round(nanoseconds)} ns`
}

function ms(nanoseconds: number): string {
  return `${(nanoseconds / 1e6).toFixed(1)} ms`
}

function percent(share: number): string {
  return `${share < 0 ? '' : '+'}${(share * 100).toFixed(1)} %`
}

main()
