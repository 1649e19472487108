import { systemClock } from '../../../src/clock.ts'
import { defaultPoolId } from '../../../src/model/pool.ts'
import type { Recordset } from '../../../src/model/recordset.ts'
import { newStamp } from '../../../src/model/stamped.ts'
import { putNewZone } from '../../../src/service/rules/zone-rows.ts'
import { openLowdbStore } from '../../../src/store/lowdb-store.ts'
import type { Transaction } from '../../../src/store/store.ts'
import { Appliance } from '../../../test/helpers/appliance.ts'
import { primary } from '../../../test/helpers/dns.ts'

// A store of very many zones in one project, and of one zone with very many recordsets.

/** A row of a list as the API shows it. */
export type Row = { readonly id: string } & Readonly<Record<string, unknown>>

/** The zone with the recordsets. */
export const largeZone = 'large.example.'

const rowsPerCommit = 1000

/** Writes the store that a server would have written, without 200,000 requests to one; returns all recordsets in
 *  order of creation. */
export async function fillStore(
  directory: string,
  { zoneCount, recordsetCount }: { readonly zoneCount: number; readonly recordsetCount: number },
): Promise<readonly Row[]> {
  // Its first start makes the administrator's project and the default pool.
  const first = await Appliance.start({ dataDirectory: directory })
  const path = '/identity/v3/projects?name=admin'
  const { projects } = await first.json<{ projects: readonly Row[] }>('GET', path)
  const projectId = projects[0]?.id ?? ''
  await first.stop()
  const store = await openLowdbStore({ directory, clock: systemClock })
  const zoneOf = (tx: Transaction, name: string, i: number) => {
    const pool = tx.get('pools', defaultPoolId)
    if (pool === undefined) throw new Error('there is no default pool')
    const draft = primary(name, { ttlSeconds: 300 + (i % 7), email: `ops${i % 3}@example.net` })
    return putNewZone(tx, draft, { projectId, pool })
  }
  for (let i = 0; i < zoneCount; i += rowsPerCommit) {
    await store.commit(tx => {
      for (let k = i; k < Math.min(i + rowsPerCommit, zoneCount); k += 1) {
        zoneOf(tx, `zone-${(k * 7919) % zoneCount}.example.`, k)
      }
    })
  }
  const large = await store.commit(tx => zoneOf(tx, largeZone, 0))
  for (let i = 0; i < recordsetCount; i += rowsPerCommit) {
    await store.commit(tx => {
      for (let k = i; k < Math.min(i + rowsPerCommit, recordsetCount); k += 1) {
        tx.put('recordsets', recordsetOf(tx, large.id, k))
      }
    })
  }
  const rows = [...store.rows('recordsets')].sort(
    (a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1),
  )
  await store.close()
  return rows.map(({ id, name, type }) => ({ id, name, type }))
}

function recordsetOf(tx: Transaction, zoneId: string, i: number): Recordset {
  const isText = i % 10 === 0
  return {
    ...newStamp(tx),
    zoneId,
    name: `host-${(i * 7919) % 1_000_003}.${largeZone}`,
    type: isText ? 'TXT' : 'A',
    ttlSeconds: i % 4 === 0 ? 60 + (i % 5) : null,
    description: null,
    records: [isText ? `"text ${i}"` : `192.0.2.${i % 250}`],
    isManaged: false,
  }
}
