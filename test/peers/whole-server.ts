import { join } from 'node:path'
import type { Test } from 'tap'
import { Appliance } from '../helpers/appliance.ts'

/** The administrator's in these tests: user and project are `admin`, the domain is `Default`. */
export const adminPassword = 'the-password-of-the-tests'

export type WholeServer = {
  readonly server: Appliance
  /** For whatever a client keeps in files. A test has one folder, which must not be asked for again. */
  readonly folder: string
}

/** Starts the process that clients log in to, until the test ends. */
export async function startWholeServer(t: Test): Promise<WholeServer> {
  const folder = t.testdir({ data: {}, client: {} })
  const server = await Appliance.start({
    dataDirectory: join(folder, 'data'),
    environment: { ZONEWRIGHT_ADMIN_PASSWORD: adminPassword },
  })
  t.teardown(() => server.stop())
  return { server, folder: join(folder, 'client') }
}
