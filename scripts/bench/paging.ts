// Question: what does a page of a very long list cost, and is the last one as cheap as the first?
// Method: the real process on a store of 100,000 zones in one project and of one zone with 100,000 recordsets more.
//   Pages of 100 are asked for one at a time: the first one, one from the middle and the last one of each order and
//   filter, in turns, and the middle of what the server's main thread computed for each is taken: processor time, not
//   waiting, as other programs are about. Then how long the server kept a client waiting who asked for its health
//   all the while. Run with the number of zones and of recordsets: npm run bench -- paging 100000 100000
// A good number: the last page within 1.5 times the first, in every order and with every filter; below 2 ms where
//   an index serves, and no client waits for more than 20 ms where none does.
// Not measured: many clients at once, the client's side of it, a store that is being changed.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Appliance } from '../../test/helpers/appliance.ts'
import { fillStore, largeZone, type Row } from './load/long-lists.ts'
import { machineLine } from './report/machine.ts'
import { median } from './report/median.ts'
import { formatTable } from './report/table.ts'
import { cpuMillis, watchHealth } from './servers/health-watch.ts'

const pageRows = 100
const roundCount = 15

type Listing = { readonly path: string; readonly collection: 'zones' | 'recordsets' }

/** One order or filter of a list. */
type Variant = {
  readonly list: string
  readonly query: string
  /** What is asked for, page by page, in the order of the list. */
  readonly rows: readonly Row[]
}

async function main(): Promise<void> {
  const [, , zones = '100000', recordsets = '100000'] = process.argv
  const dataDirectory = await mkdtemp(join(tmpdir(), 'zonewright-paging-'))
  try {
    const sizes = { zoneCount: Number(zones), recordsetCount: Number(recordsets) }
    const stored = await fillStore(dataDirectory, sizes)
    const server = await Appliance.start({ dataDirectory })
    try {
      await measure(server, stored)
    } finally {
      await server.kill()
    }
  } finally {
    await rm(dataDirectory, { recursive: true })
  }
  console.log(machineLine())
}

async function measure(server: Appliance, stored: readonly Row[]): Promise<void> {
  const variants = [
    ...(await zoneVariants(server)),
    ...(await recordsetVariants(server)),
    ...acrossVariants(stored),
  ]
  const rows: string[][] = []
  for (const variant of variants) {
    const row = await measureVariant(server, variant)
    rows.push(row)
    console.log(row.join('  '))
  }
  console.log(
    formatTable(
      ['list', 'order or filter', 'first', 'middle', 'last', 'last ÷ first', 'kept waiting'],
      rows,
    ),
  )
}

async function zoneVariants(server: Appliance): Promise<Variant[]> {
  const listing = { path: '/v2/zones', collection: 'zones' } as const
  const rows = await allRows(server, listing)
  const sorts: [string, (row: Row) => unknown][] = [
    ['id', row => row.id],
    ['updated_at', row => row.updated_at],
    ['name', row => row.name],
    ['tenant_id', row => row.project_id],
    ['serial', row => row.serial],
    ['ttl', row => row.ttl],
    ['status', row => row.status],
  ]
  const filters: [string, (row: Row) => boolean][] = [
    ['name=*99.example.', row => String(row.name).endsWith('99.example.')],
    ['ttl=303', row => row.ttl === 303],
    ['email=ops1*', row => row.email === 'ops1@example.net'],
    ['status=ACTIVE', () => true],
  ]
  return variantsOf(listing.path, rows, { sorts, filters })
}

async function recordsetVariants(server: Appliance): Promise<Variant[]> {
  const named = await server.json<{ zones: readonly Row[] }>('GET', `/v2/zones?name=${largeZone}`)
  const path = `/v2/zones/${named.zones[0]?.id}/recordsets`
  const rows = await allRows(server, { path, collection: 'recordsets' })
  const sorts: [string, (row: Row) => unknown][] = [
    ['id', row => row.id],
    ['name', row => row.name],
    ['type', row => row.type],
    ['ttl', row => row.ttl],
  ]
  const filters: [string, (row: Row) => boolean][] = [
    ['type=TXT', row => row.type === 'TXT'],
    ['data=192.0.2.7', row => (row.records as string[]).includes('192.0.2.7')],
    ['name=host-*', row => String(row.name).startsWith('host-')],
  ]
  return variantsOf(path, rows, { sorts, filters })
}

function acrossVariants(rows: readonly Row[]): Variant[] {
  return variantsOf('/v2/recordsets', rows, {
    sorts: [['name', row => row.name]],
    filters: [['type=TXT', row => row.type === 'TXT']],
  })
}

function variantsOf(
  path: string,
  rows: readonly Row[],
  {
    sorts,
    filters,
  }: {
    readonly sorts: readonly [string, (row: Row) => unknown][]
    readonly filters: readonly [string, (row: Row) => boolean][]
  },
): Variant[] {
  const variant = (query: string, rows: readonly Row[]): Variant => ({ list: path, query, rows })
  return [
    variant('', rows),
    variant('sort_dir=desc', rows.toReversed()),
    ...sorts.map(([key, sortBy]) => variant(`sort_key=${key}`, sortedBy(rows, sortBy))),
    ...filters.map(([query, matches]) => variant(query, rows.filter(matches))),
  ]
}

/** As the server sorts: null first, equal ones by id. */
function sortedBy(rows: readonly Row[], sortBy: (row: Row) => unknown): readonly Row[] {
  const compare = (one: unknown, other: unknown): number => {
    if (one === other) return 0
    if (one === null) return -1
    if (other === null) return 1
    return (one as string) < (other as string) ? -1 : 1
  }
  return rows.toSorted((a, b) => compare(sortBy(a), sortBy(b)) || compare(a.id, b.id))
}

async function allRows(server: Appliance, { path, collection }: Listing): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (;;) {
    const last = rows.at(-1)
    const marker = last === undefined ? '' : `&marker=${last.id}`
    const page = await server.json<Record<string, readonly Row[]>>(
      'GET',
      `${path}?limit=max${marker}`,
    )
    const found = page[collection] ?? []
    rows.push(...found)
    if (found.length < 1000) return rows
  }
}

async function measureVariant(
  server: Appliance,
  { list, query, rows }: Variant,
): Promise<string[]> {
  const starts = [0, Math.floor(rows.length / 2), Math.max(rows.length - pageRows, 0)]
  const times: number[][] = starts.map(() => [])
  const watch = watchHealth(server)
  for (let round = 0; round <= roundCount; round += 1) {
    for (const [i, start] of starts.entries()) {
      const marker = start === 0 ? '' : `&marker=${rows[start - 1]?.id}`
      const parts = [query, `limit=${pageRows}${marker}`].filter(Boolean)
      const before = cpuMillis(server)
      const page = await server.json<Record<string, readonly Row[]>>(
        'GET',
        `${list}?${parts.join('&')}`,
      )
      // The first round is a warm-up whose results are checked instead.
      if (round > 0) times[i]?.push(cpuMillis(server) - before)
      else requireRows(Object.values(page)[0] ?? [], rows.slice(start, start + pageRows), query)
    }
  }
  const { mostMs: waited } = await watch.stop()
  const [first = 0, middle = 0, last = 0] = times.map(median)
  const name = listNames[list] ?? 'recordsets of a zone'
  const figures = [first, middle, last].map(each => `${each.toFixed(each < 10 ? 2 : 0)} ms`)
  return [
    name,
    query === '' ? 'by creation' : query,
    ...figures,
    (last / first).toFixed(2),
    `${waited.toFixed(0)} ms`,
  ]
}

const listNames: Readonly<Record<string, string>> = {
  '/v2/zones': 'zones',
  '/v2/recordsets': 'recordsets of all zones',
}

/** @throws Error the page is not the one that was to be measured */
function requireRows(page: readonly Row[], expected: readonly Row[], query: string): void {
  const ids = (rows: readonly Row[]) => rows.map(({ id }) => id).join()
  if (ids(page) !== ids(expected)) throw new Error(`another page than expected: ${query}`)
}

await main()
