import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** A folder for the files of a running server. It is removed after all teardowns that the test registers from now on, and so
 *  after the server's; tap would remove its own test folder earlier. */
export function serverFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'zonewright-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
