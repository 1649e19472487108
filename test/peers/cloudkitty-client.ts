import { execFileSync } from 'node:child_process'
import type { Test } from 'tap'
import type { Openstack } from './openstack.ts'
import { OpenstackCommands, type Outcome } from './openstack-commands.ts'
import type { OpenstackSession } from './openstack-session.ts'

// CloudKitty's command line clients, unmodified, as Debian packages install them.

/** Each of the ways into them. */
export const programs = ['openstack', 'cloudkitty'] as const
export type Program = (typeof programs)[number]
export type RatingVersion = '1' | '2'

export type ClientKind = { readonly program: Program; readonly version: RatingVersion }

/** The rating commands of either program, without the prefix that `openstack` requires. */
export class RatingClient extends OpenstackCommands {
  readonly #session: OpenstackSession
  readonly #prefix: readonly string[]

  private constructor(session: OpenstackSession, program: Program) {
    super()
    this.#session = session
    this.#prefix = program === 'openstack' ? ['rating'] : []
  }

  /** Starts a client that logs in as another does, until the test ends. */
  static start(t: Test, login: Openstack, { program, version }: ClientKind): RatingClient {
    const session = login.with({ OS_RATING_API_VERSION: version }).session(t, program)
    return new RatingClient(session, program)
  }

  async perform(words: readonly string[]): Promise<Outcome> {
    const outcome = await this.#session.perform([...this.#prefix, ...words])
    const stderr = withoutWarnings(outcome.stderr)
    return { ...outcome, stderr, hasFailed: stderr !== '' }
  }
}

/** All commands that the installed client declares, without a prefix. */
export function declaredCommands({ program, version }: ClientKind): readonly string[] {
  const group =
    program === 'openstack' ? `openstack.rating.v${version}` : `cloudkittyclient_v${version}`
  const script = [
    'import importlib.metadata',
    `for entry in importlib.metadata.distribution('python-cloudkittyclient').entry_points:`,
    `    if entry.group == '${group}': print(entry.name)`,
  ]
  const names = execFileSync('/usr/bin/python3', ['-c', script.join('\n')], { encoding: 'utf8' })
  return names
    .trim()
    .split('\n')
    .map(name => name.replace(/^rating_/, '').replaceAll('_', ' '))
    .sort()
}

/** Some commands print a deprecation warning each time. */
function withoutWarnings(text: string): string {
  return text
    .split('\n')
    .filter(line => !line.startsWith('WARNING: '))
    .join('\n')
    .trim()
}
