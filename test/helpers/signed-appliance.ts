import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Appliance } from './appliance.ts'
import type { Dice } from './dice.ts'

// A zone that a server signs, seen from outside.

export function run(folder: string, program: string, ...words: readonly string[]): string {
  return execFileSync(program, words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
}

/** Four verifiers of zones agree that what a server transfers is signed in all its parts. */
export function verifyTransferred(
  t: Test,
  { host, port }: { readonly host: string; readonly port: number },
  { apex, when, words = [] }: { apex: string; when: string; words?: readonly string[] },
): void {
  const folder = t.testdir()
  const asked = [`@${host}`, '-p', `${port}`, ...words, apex, 'AXFR', '+onesoa', '+nocomments']
  writeFileSync(join(folder, 'zone'), run(folder, 'dig', ...asked, '+nostats'))
  for (const [program, ...options] of [
    ['ldns-verify-zone', 'zone'],
    ['dnssec-verify', '-z', '-q', '-o', apex, 'zone'],
    ['kzonecheck', '-d', 'on', '-o', apex, 'zone'],
    // Local: otherwise it would query the network for addresses elsewhere.
    ['named-checkzone', '-q', '-i', 'local', apex, 'zone'],
  ] as const)
    t.doesNotThrow(() => run(folder, program, ...options), `${program} ${when}`)
}

/** Creates or deletes a recordset: cuts, wildcards, deep names. */
export async function changeAtRandom(
  server: Appliance,
  { path, apex, dice }: { readonly path: string; readonly apex: string; readonly dice: Dice },
): Promise<void> {
  type List = { recordsets: { id: string; name: string; type: string }[] }
  const name = `${dice.pick(['', '*.', 'x.', 'a.b.'])}r${dice.below(6)}.${apex}`
  const drafts = [
    { type: 'A', records: ['192.0.2.7'] },
    // Not below itself, where it would need an address beside it.
    { type: 'NS', records: ['ns.example.net.'] },
    { type: 'TXT', records: ['"t"'] },
    { type: 'MX', records: [`5 Mail.${apex}`] },
  ]
  const { recordsets } = await server.json<List>('GET', `${path}/recordsets?name=*r?.${apex}`)
  const known = recordsets.length > 3 && dice.below(2) === 0 ? dice.pick(recordsets) : undefined
  if (known !== undefined) await server.json('DELETE', `${path}/recordsets/${known.id}`)
  // What the rules of zones forbid is refused, and changes nothing.
  else await server.request('POST', `${path}/recordsets`, { name, ...dice.pick(drafts) })
}
