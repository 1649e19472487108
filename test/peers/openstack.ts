import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { OpenstackCommands, type Outcome } from './openstack-commands.ts'
import { OpenstackSession } from './openstack-session.ts'

// The command line client that people drive OpenStack with, unmodified, as a Debian package installs it.

export type PasswordLogin = {
  /** Of the API, without the identity service's path. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** None: the user's default one. */
  readonly project?: string
}

/** Runs a new `openstack` for each command, with only the given environment and nothing of the caller's. */
export class Openstack extends OpenstackCommands {
  readonly #environment: Readonly<Record<string, string>>

  constructor(environment: Readonly<Record<string, string>>) {
    super()
    // A home without settings, so that those of the user who runs the tests do not apply.
    this.#environment = { PATH: '/usr/bin:/bin', HOME: join(tmpdir(), 'no-home'), ...environment }
  }

  /** A user of the domain Default. */
  static withPassword({ url, user, password, project }: PasswordLogin): Openstack {
    return new Openstack({
      OS_AUTH_URL: `${url}/identity/v3`,
      OS_USERNAME: user,
      OS_PASSWORD: password,
      OS_USER_DOMAIN_NAME: 'Default',
      ...(project !== undefined && { OS_PROJECT_NAME: project, OS_PROJECT_DOMAIN_NAME: 'Default' }),
    })
  }

  /** A program with an application credential. */
  static withApplicationCredential(
    url: string,
    credential: { readonly id: string; readonly secret: string },
  ): Openstack {
    return new Openstack({
      OS_AUTH_TYPE: 'v3applicationcredential',
      OS_AUTH_URL: `${url}/identity/v3`,
      OS_APPLICATION_CREDENTIAL_ID: credential.id,
      OS_APPLICATION_CREDENTIAL_SECRET: credential.secret,
    })
  }

  /** Without Keystone: a token, and the address of the DNS API itself. */
  static withToken(url: string, token: string): Openstack {
    return new Openstack({
      OS_AUTH_TYPE: 'admin_token',
      OS_ENDPOINT: `${url}/dns/v2`,
      OS_TOKEN: token,
    })
  }

  /** One client for many commands, with the same login, until the test ends.
   *  @param program another client that logs in in the same way */
  session(t: Test, program?: string): OpenstackSession {
    return OpenstackSession.start(t, this.#environment, program)
  }

  /** The same, with more in its environment. */
  with(environment: Readonly<Record<string, string>>): Openstack {
    return new Openstack({ ...this.#environment, ...environment })
  }

  perform(words: readonly string[]): Promise<Outcome> {
    return this.performOn('', words)
  }

  /** The same with something on its standard input. */
  async performOn(input: string, words: readonly string[]): Promise<Outcome> {
    const child = spawn('/usr/bin/openstack', words, { env: this.#environment })
    child.stdin.end(input)
    const stdout: string[] = []
    const stderr: string[] = []
    child.stdout.setEncoding('utf8').on('data', text => stdout.push(text))
    child.stderr.setEncoding('utf8').on('data', text => stderr.push(text))
    return new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', status =>
        resolve({ hasFailed: status !== 0, stdout: stdout.join(''), stderr: stderr.join('') }),
      )
    })
  }
}
