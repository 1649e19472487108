import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { Appliance } from '../helpers/appliance.ts'

/** The administrator's in these tests: user and project are `admin`, the domain is `Default`. */
export const adminPassword = 'the-password-of-the-tests'

export type WholeServer = {
  readonly server: Appliance
  /** For whatever a client keeps in files. */
  readonly folder: string
}

/** Starts the process that clients log in to, until the test ends. */
export async function startWholeServer(t: Test): Promise<WholeServer> {
  // Not the folder of the test, which is removed before the server has written its last into it.
  const root = mkdtempSync(join(tmpdir(), 'zonewright-'))
  const folder = join(root, 'client')
  mkdirSync(folder)
  const server = await Appliance.start({
    dataDirectory: join(root, 'data'),
    environment: { ZONEWRIGHT_ADMIN_PASSWORD: adminPassword },
  })
  t.teardown(async () => {
    await server.stop()
    rmSync(root, { recursive: true, force: true })
  })
  return { server, folder }
}
