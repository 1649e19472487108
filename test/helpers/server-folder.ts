import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** A folder for what a running server writes. It goes after all that the test asks for from now on to be torn down, so
 *  also after the server; tap removes its own folder of a test before. */
export function serverFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'zonewright-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
