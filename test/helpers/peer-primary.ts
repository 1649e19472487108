import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { type PeerPlace, startPeerProcess } from './peer-process.ts'
import { type PeerKey, type PeerName, peerRecipe, zoneFile } from './peer-recipes.ts'

// Other name servers as primaries of one zone.

/** A zone on a server of another make. */
export type PeerPrimary = { readonly host: string; readonly port: number }

/** A primary that can be given a new version of its zone, and notifies its secondary of it. */
export type NotifyingPeer = PeerPrimary & {
  /** Resolves when the primary has been given the version. Its secondary may be notified later. */
  change(zoneText: string): Promise<void>
}

const host = '127.0.0.1'
const run = promisify(execFile)

/** Starts a server and resolves once `isReady` says that it answers.
 *  @param secondaryPort where on 127.0.0.1 a secondary waits for NOTIFY; nowhere if left out */
export async function startPeer(
  t: Test,
  { name, apex = 'example.', zoneText, secondaryPort, key }: PeerZone,
  isReady: (peer: PeerPrimary) => Promise<boolean>,
): Promise<NotifyingPeer> {
  const peer = await startPeerProcess({
    name,
    recipe: peerRecipe(name, {
      zones: [{ apex, text: zoneText }],
      notifiedPort: secondaryPort,
      key,
    }),
    isReady: port => isReady({ host, port }),
  })
  t.teardown(() => peer.close())
  const { folder, port, otherPort } = peer
  return {
    host,
    port,
    async change(newText) {
      writeFileSync(join(folder, zoneFile()), newText)
      const calls = changes[name]({ apex, folder, otherPort, secondaryPort })
      for (const [program, ...words] of calls) await run(program, words)
    },
  }
}

export type PeerZone = {
  readonly name: PeerName
  /** `example.` if left out. */
  readonly apex?: string
  readonly zoneText: string
  readonly secondaryPort?: number
  /** Without it, any client may transfer the zone. */
  readonly key?: PeerKey
}

type Control = Pick<PeerPlace, 'folder' | 'otherPort'> & {
  readonly apex: string
  readonly secondaryPort: number | undefined
}

type Call = readonly [program: string, ...words: string[]]

/** The commands by which operators make them reload a zone's file; all but PowerDNS then notify at once by themselves. */
const changes: Readonly<Record<PeerName, (control: Control) => readonly Call[]>> = {
  bind: ({ apex, folder, otherPort }) => {
    const rndc = ['rndc', '-s', host, '-p', `${otherPort}`, '-k', join(folder, 'key.conf')] as const
    return [[...rndc, 'reload', apex]]
  },
  knot: ({ apex, folder }) => [
    ['knotc', '-c', join(folder, 'peer.conf'), '-b', 'zone-reload', apex],
  ],
  nsd: ({ apex, folder }) => [['nsd-control', '-c', join(folder, 'peer.conf'), 'reload', apex]],
  powerdns: ({ apex, folder, secondaryPort }) => {
    const control = ['pdns_control', `--config-dir=${folder}`, '--config-name=peer'] as const
    return [
      [...control, 'bind-reload-now', apex],
      [...control, 'notify-host', apex, `${host}:${secondaryPort}`],
    ]
  },
}
