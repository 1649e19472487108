import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { Appliance } from '../helpers/appliance.ts'
import { serverFolder } from '../helpers/server-folder.ts'

/** The administrator's in these tests: user and project are `admin`, the domain is `Default`. */
export const adminPassword = 'the-password-of-the-tests'

export type WholeServer = {
  readonly server: Appliance
  /** The folder for files of a client. */
  readonly folder: string
}

/** Starts the process that clients log in to, until the test ends. */
export async function startWholeServer(
  t: Test,
  settings: Readonly<Record<string, string>> = {},
): Promise<WholeServer> {
  const root = serverFolder(t)
  const folder = join(root, 'client')
  mkdirSync(folder)
  const server = await Appliance.start({
    dataDirectory: join(root, 'data'),
    environment: { ZONEWRIGHT_ADMIN_PASSWORD: adminPassword, ...settings },
  })
  t.teardown(() => server.stop())
  return { server, folder }
}
