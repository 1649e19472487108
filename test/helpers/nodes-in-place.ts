import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { psql } from './postgres.ts'

// With TEST_STORE_URLS set, wherever a test starts a server on a data directory, three nodes start instead, over a database
// that belongs to that directory. test/peers/nodes/in-place.test.ts runs the tests of whole servers this way.

type Placed = {
  readonly dataDirectory: string
  readonly environment?: Readonly<Record<string, string>>
}

const names = ['zw1', 'zw2', 'zw3']
const databases = new Map<string, Promise<string>>()

/** The nodes to start in the place of a server; undefined: the server itself, as it is a node of its own test. */
export async function nodesInPlace<T extends Placed>(server: T): Promise<readonly T[] | undefined> {
  const { TEST_STORE_URLS: servers } = process.env
  const { dataDirectory, environment } = server
  if (servers === undefined || environment?.ZONEWRIGHT_STORE_URL !== undefined) return undefined
  let database = databases.get(dataDirectory)
  if (database === undefined) {
    database = createDatabase(servers.split(','), dataDirectory)
    databases.set(dataDirectory, database)
  }
  const urls = await database
  return names.map(name => ({
    ...server,
    dataDirectory: join(dataDirectory, name),
    environment: {
      ZONEWRIGHT_DNS_WORKERS: '1',
      ...environment,
      ZONEWRIGHT_STORE_URL: urls,
      ZONEWRIGHT_NODE: name,
    },
  }))
}

async function createDatabase(
  [primary = '', ...standbys]: readonly string[],
  dataDirectory: string,
): Promise<string> {
  const name = `zw_${createHash('sha256').update(dataDirectory).digest('hex').slice(0, 24)}`
  await psql(`create database ${name}`, primary)
  return [primary, ...standbys].map(url => new URL(name, url).href).join()
}
