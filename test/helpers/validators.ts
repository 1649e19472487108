import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { flags } from '../../src/dns/header.ts'
import type { Endpoint } from './appliance.ts'
import { queryFor, replyFrom } from './ask.ts'
import { type PeerPlace, startPeerProcess } from './peer-process.ts'
import { exchange } from './peer-server.ts'

// Validating resolvers, unbound and delv, that trust the keys of one zone and query it from a server on this machine.

const run = promisify(execFile)

export type TrustedZone = {
  /** With its final dot. */
  readonly apex: string
  /** Values of the DNSKEY records that are trusted, as in a zone file. */
  readonly keys: readonly string[]
  readonly server: Endpoint
  /** Zones below it that other servers answer for. */
  readonly children?: readonly { readonly apex: string; readonly server: Endpoint }[]
}

export type Validator = {
  readonly endpoint: Pick<Endpoint, 'host' | 'port'>
  /** The rcode of a question such as `www.example. A`, and whether the answer is validated (AD). */
  ask(question: string): Promise<{ readonly rcode: string; readonly isValid: boolean }>
  close(): Promise<void>
}

/** The first settings of an unbound that runs from a folder, of its section `server`. */
export function unboundSettings({ folder, port }: PeerPlace): string {
  return `
server:
  directory: "${folder}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  interface: 127.0.0.1
  port: ${port}
`
}

/** Starts an unbound. It must be installed. */
export async function startUnbound({
  apex,
  keys,
  server,
  children = [],
}: TrustedZone): Promise<Validator> {
  const anchors = keys.map(key => `${apex} 3600 IN DNSKEY ${key}\n`).join('')
  const peer = await startPeerProcess({
    name: 'unbound',
    recipe: place => ({
      command: ['unbound', '-d', '-c', join(place.folder, 'peer.conf')],
      files: {
        anchors,
        'peer.conf': `${unboundSettings(place)}  do-not-query-localhost: no
  module-config: "validator iterator"
  trust-anchor-file: "${place.folder}/anchors"
  target-fetch-policy: "0 0 0 0 0"
  qname-minimisation: no
  aggressive-nsec: no
  local-zone: "${apex}" transparent
remote-control:
  control-enable: no
${[{ apex, server }, ...children]
  .map(
    ({ apex, server }) => `stub-zone:
  name: "${apex}"
  stub-addr: ${server.host}@${server.port}
`,
  )
  .join('')}`,
      },
    }),
    isReady: port => exchange(port, queryFor(`${apex} SOA`)).then(Boolean, () => false),
  })
  return {
    endpoint: { host: '127.0.0.1', port: peer.port },
    ask: async question => {
      const request = queryFor(question, {
        edns: { isDnssecOk: true },
        flags: flags.recursionDesired,
      })
      const reply = replyFrom(await exchange(peer.port, request))
      return { rcode: reply.rcode, isValid: reply.flags.includes('ad') }
    },
    close: () => peer.close(),
  }
}

/** delv's verdict on each question: its first comment, such as `; fully validated`. */
export async function delv(
  folder: string,
  { apex, keys, server }: TrustedZone,
  questions: readonly string[],
): Promise<string[]> {
  const anchors = keys.map(key => {
    const [flags, protocol, algorithm, ...octets] = key.split(/\s+/)
    return `${apex} static-key ${flags} ${protocol} ${algorithm} "${octets.join('')}";`
  })
  const file = join(folder, 'anchors')
  writeFileSync(file, `trust-anchors { ${anchors.join('\n')} };\n`)
  const words = ['-a', file, `+root=${apex}`, `@${server.host}`, '-p', `${server.port}`]
  const said: string[] = []
  for (const question of questions) {
    const { stdout } = await run('delv', [...words, ...question.split(' ')]).catch(
      (error: { readonly stdout?: string }) => ({ stdout: error.stdout ?? '' }),
    )
    said.push(stdout.split('\n').find(line => line.startsWith(';')) ?? stdout)
  }
  return said
}
