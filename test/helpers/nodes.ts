import { join } from 'node:path'
import type { Test } from 'tap'
import { Appliance } from './appliance.ts'
import { ClockedAppliance } from './clocked-appliance.ts'
import { Postgres } from './postgres.ts'
import { serverFolder } from './server-folder.ts'

// Several processes over one PostgreSQL with a synchronous standby.

export type Nodes = {
  readonly postgres: Postgres
  /** Starts a node, again where it has run before; it ends with the test. */
  start(name: string, environment?: Readonly<Record<string, string>>): Promise<Appliance>
  /** Starts a node whose clock the test turns. */
  startClocked(
    name: string,
    nowMillis: number,
    options?: {
      readonly dataDirectory?: string
      readonly maxClockOffSeconds?: number
      readonly environment?: Readonly<Record<string, string>>
    },
  ): Promise<ClockedAppliance>
  directoryOf(name: string): string
  /** The environment of a program that is that node, or queries it. */
  environmentOf(name: string): Readonly<Record<string, string>>
}

/** Opens a PostgreSQL for nodes, until the test ends. */
export async function openNodes(
  t: Test,
  settings: Readonly<Record<string, string>> = {},
): Promise<Nodes> {
  const postgres = await Postgres.startPair({ settings })
  t.teardown(() => postgres.close())
  return nodesOver(t, postgres)
}

/** Nodes over a PostgreSQL that the test has started. */
export function nodesOver(t: Test, postgres: Postgres): Nodes {
  const folder = serverFolder(t)
  const urls = [postgres, ...postgres.standbys].map(({ url }) => url)
  const directoryOf = (name: string) => join(folder, name)
  const environmentOf = (name: string) => ({
    ZONEWRIGHT_STORE_URL: urls.join(),
    ZONEWRIGHT_NODE: name,
    ZONEWRIGHT_ADMIN_PASSWORD: 'the-password-of-the-tests',
  })
  return {
    postgres,
    directoryOf,
    environmentOf,
    async startClocked(name, nowMillis, options = {}) {
      const environment = { ...environmentOf(name), ...options.environment }
      const own = { dataDirectory: directoryOf(name), nowMillis }
      const node = await ClockedAppliance.start({ ...own, ...options, environment })
      t.teardown(() => node.kill())
      return node
    },
    async start(name, environment = {}) {
      const node = await Appliance.start({
        dataDirectory: directoryOf(name),
        environment: { ...environmentOf(name), ...environment },
      })
      t.teardown(() => node.kill())
      return node
    },
  }
}
