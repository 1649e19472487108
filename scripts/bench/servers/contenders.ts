import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { origin, queryText, zoneText } from '../load/zone.ts'
import { applianceRecipe, fetchZone } from './appliance.ts'
import { type PeerName, peerNames, peerRecipe } from './peers.ts'
import { answers } from './probe.ts'
import { type Place, type Recipe, RunningServer } from './running.ts'

export const ours = 'zonewright'
export type ContenderName = typeof ours | PeerName | 'plain dns2' | 'C echo'

export type ContendersOptions = {
  readonly names: readonly ContenderName[]
  readonly nameCount: number
  readonly queryCount: number
  readonly core: number
  /** Whether the servers that support TLS answer over it as well. */
  readonly hasTls?: boolean
  /** The records that the zone, signed by dnssec-signzone, denies names with; without, it is unsigned. */
  readonly denial?: 'NSEC' | 'NSEC3' | undefined
}

/** Servers that have the same zone, all running, of which one at a time is loaded. */
export type Contenders = {
  readonly servers: readonly RunningServer[]
  /** The file of queries for dnsperf. */
  readonly queryFile: string
  /** For what they share. */
  readonly folder: string
  close(): Promise<void>
}

export const allPeers: readonly PeerName[] = peerNames

/** Starts all, and resolves when all answer from the zone. */
export async function startContenders(options: ContendersOptions): Promise<Contenders> {
  const { names, nameCount, queryCount, core, hasTls = false, denial } = options
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const plainFile = join(folder, 'example.zone')
  const queryFile = join(folder, 'queries.txt')
  writeFileSync(plainFile, zoneText(nameCount))
  const zoneFile = denial === undefined ? plainFile : signed(folder, plainFile, denial)
  writeFileSync(queryFile, queryText(nameCount, queryCount))
  const servers: RunningServer[] = []
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(server => server.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (const name of names) {
      const recipe = recipeFor(name, { folder, zoneFile, nameCount })
      servers.push(await RunningServer.start({ name, core, recipe, hasTls }))
    }
    await hasZone(servers, `host${nameCount - 1}.${origin} A`)
    return { servers, queryFile, folder, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Signs a zone file with one key of algorithm 13; returns the file that is signed. */
function signed(folder: string, zoneFile: string, denial: 'NSEC' | 'NSEC3'): string {
  const run = (program: string, ...words: string[]) =>
    execFileSync(program, words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
  const key = run('dnssec-keygen', '-q', '-a', '13', '-f', 'KSK', origin).trim()
  const file = `${zoneFile}.signed`
  const hashed = denial === 'NSEC3' ? ['-3', '-', '-H', '0'] : []
  const words = ['-q', '-S', '-z', '-P', ...hashed, '-o', origin, '-f', file]
  run('dnssec-signzone', ...words, zoneFile, key)
  return file
}

type Source = { readonly folder: string; readonly zoneFile: string; readonly nameCount: number }

function recipeFor(name: ContenderName, source: Source): (place: Place) => Recipe {
  const { folder, zoneFile, nameCount } = source
  switch (name) {
    case ours:
      return applianceRecipe
    case 'plain dns2': {
      const script = join(import.meta.dirname, 'dns2-server.ts')
      return ({ port }) => ({
        command: [process.execPath, script, String(port), String(nameCount)],
      })
    }
    case 'C echo': {
      const program = join(folder, 'echo')
      const text = join(import.meta.dirname, '..', 'echo.c')
      execFileSync('cc', ['-O2', '-Wall', '-o', program, text])
      return ({ port }) => ({ command: [program, String(port)] })
    }
    default:
      return peerRecipe(name, [{ name: origin, file: zoneFile }])
  }
}

/** Ours fetches the zone from another server, as from any primary. */
async function hasZone(servers: readonly RunningServer[], question: string): Promise<void> {
  const peers = servers.filter(({ name }) => name !== ours && name !== 'C echo')
  for (const server of peers) await server.untilReady(() => answers(server, question))
  const appliance = servers.find(({ name }) => name === ours)
  const primary = peers.find(({ name }) => name === 'knot' || name === 'bind')
  if (appliance === undefined || primary === undefined) return
  await fetchZone(appliance, { name: origin, primary })
  await appliance.untilReady(() => answers(appliance, question))
}
