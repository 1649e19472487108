// Question: how long is it from the moment a record is changed until the change is on the disk and every answering
//   thread answers with it, and does that grow with the zone?
// Method: the services on a store in a directory, once on the disk and once in memory (/dev/shm, where a sync costs
//   nothing), with one zone of 100 and one of a million recordsets. One change after another gives a random record
//   set another address; after each, a reader of the zone table is asked for it and must answer with the new one.
//   The zones take turns of a thousand changes, so that what else goes on hits all, after as many rounds as V8 compiles for: meanwhile
//   a hundredth of the changes waits some milliseconds for its threads. A size with an `s` is of a signed zone,
//   in which each change takes two signatures; a million names are signed in a minute, by two threads.
// A good number: on the disk p50 3 ms and p99 15 ms, most of it the disk's; in memory p50 below 0.2 ms; the large zone
//   within 1.3 times of the small one, a signed one within 0.3 ms of an unsigned one.
// Not measured: HTTP, which `api` has; many writers at once, who share syncs (`store`).
// Options: --sizes 100,1000000,1000000s --rounds 5 --warm 15 (rounds before) --places disk,memory

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Bulk } from '../../src/bulk/bulk.ts'
import { systemClock } from '../../src/clock.ts'
import { types } from '../../src/dns/codes.ts'
import { decodeMessage } from '../../src/dns/message.ts'
import { newStamp } from '../../src/model/stamped.ts'
import type { Zone } from '../../src/model/zone.ts'
import { openResponder, type Responder } from '../../src/nameserver/responder.ts'
import { openLowdbStore } from '../../src/store/lowdb-store.ts'
import { queryFor } from '../../test/helpers/ask.ts'
import { Dice } from '../../test/helpers/dice.ts'
import { callerOf, openDns, primary, type TestDns } from '../../test/helpers/dns.ts'
import { recordsetRow } from '../../test/helpers/store-rows.ts'
import { machineLine } from './report/machine.ts'
import { quantile } from './report/median.ts'
import { formatTable } from './report/table.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100,1000000' },
    rounds: { type: 'string', default: '5' },
    warm: { type: 'string', default: '15' },
    places: { type: 'string', default: 'disk,memory' },
  },
})

const changesPerRound = 1000
const recordsetsPerCommit = 500
const caller = callerOf('one')
const dice = new Dice(1)

type Filled = { readonly zone: Zone; readonly ids: readonly string[]; readonly times: number[] }

async function main(): Promise<void> {
  const sizes = values.sizes.split(',')
  const places = values.places.split(',')
  const rows = [
    ...(places.includes('disk') ? await measure('the disk', tmpdir(), sizes) : []),
    ...(places.includes('memory') ? await measure('memory', '/dev/shm', sizes) : []),
  ]
  console.log(formatTable(['on', 'recordsets', 'p50', 'p95', 'p99', 'longest'], rows))
  console.log(`\n${machineLine()}`)
}

async function measure(
  place: string,
  parent: string,
  sizes: readonly string[],
): Promise<string[][]> {
  const directory = mkdtempSync(join(parent, 'zonewright-publish-'))
  const store = await openLowdbStore({ directory, clock: systemClock })
  const bulk = new Bulk({ maxThreads: 2 })
  try {
    const dns = await openDns({
      ...{ store, tableOctets: 2 ** 32 },
      signBatch: (batch, projectId) => bulk.signBatch(batch, projectId),
    })
    const zones: Filled[] = []
    for (const size of sizes) zones.push(await fillZone(dns, size))
    // The pages that filling has dirtied are not part of a change's cost.
    await store.checkpoint()
    const responder = openResponder(dns.table.readers.open(dns.served).handle)
    const warm = Number(values.warm)
    for (let round = 0; round < warm + Number(values.rounds); round += 1) {
      if (round === warm) for (const { times } of zones) times.length = 0
      for (const zone of zones) await changeRecords(dns, responder, zone)
    }
    return zones.map(({ ids, zone, times }) => [
      place,
      `${ids.length.toLocaleString('en')}${zone.dnssec === undefined ? '' : ', signed'}`,
      ...percentiles(times),
    ])
  } finally {
    await bulk.close()
    await store.close()
    rmSync(directory, { recursive: true })
  }
}

async function fillZone(dns: TestDns, kind: string): Promise<Filled> {
  const { store, zones, dnssec } = dns
  const size = Number.parseInt(kind, 10)
  const zone = await zones.create(caller, primary(`size-${kind}.example.`))
  const ids: string[] = []
  while (ids.length < size) {
    await store.commit(tx => {
      for (let i = 0; i < Math.min(recordsetsPerCommit, size); i += 1) {
        const name = `host${ids.length}.${zone.name}`
        const recordset = recordsetRow({ ...newStamp(tx), zoneId: zone.id, name })
        tx.put('recordsets', recordset)
        ids.push(recordset.id)
      }
    })
  }
  if (!kind.endsWith('s')) return { zone, ids, times: [] }
  await dnssec.enable(caller, zone.id, {})
  while (dnssec.get(caller, zone.id).status !== 'SIGNED') await delay(100)
  return { zone: store.get('zones', zone.id) ?? zone, ids, times: [] }
}

/** Changes random records one after another, and notes in milliseconds how long each took to be answered. */
async function changeRecords(
  { recordsets }: TestDns,
  responder: Responder,
  { zone, ids, times }: Filled,
): Promise<void> {
  for (let i = 0; i < changesPerRound; i += 1) {
    const number = dice.below(ids.length)
    const id = ids[number] ?? ''
    const octets = [10, dice.below(256), dice.below(256), dice.below(256)]
    const query = queryFor(`host${number}.${zone.name} A`)
    const startedAt = performance.now()
    await recordsets.update(caller, { zoneId: zone.id, id }, { records: [octets.join('.')] })
    const answer = ask(responder, query)
    times.push(performance.now() - startedAt)
    if (!answer.equals(Buffer.from(octets))) throw new Error(`host${number} has another address`)
  }
}

const room = new Uint8Array(1232)

/** The address that the responder answers with. */
function ask(responder: Responder, query: Uint8Array): Buffer {
  responder.enter()
  responder.take(0, query, query.length, 'udp')
  const length = responder.respond(0, room)
  responder.leave()
  const [answer] = decodeMessage(room.subarray(0, length)).answers
  if (answer?.type !== types.A) throw new Error('no address was answered')
  return Buffer.from(answer.rdata)
}

function percentiles(times: readonly number[]): string[] {
  return [0.5, 0.95, 0.99, 1].map(share => `${quantile(times, share).toFixed(2)} ms`)
}

await main()
