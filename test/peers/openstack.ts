import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// The command line client that people drive OpenStack with, unmodified, as a Debian package installs it.

/** What a command printed and how it ended. */
export type Outcome = {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export type PasswordLogin = {
  /** Of the API, without the identity service's path. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** None: the user's default one. */
  readonly project?: string
}

/** Runs `openstack` with nothing of the caller's environment but what it is given. */
export class Openstack {
  readonly #environment: Readonly<Record<string, string>>

  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment
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

  /** Runs a command, written as in a shell but split at blanks only, and `more` words as they are. */
  async outcome(command: string, ...more: readonly string[]): Promise<Outcome> {
    const child = spawn('/usr/bin/openstack', [...command.split(' '), ...more], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // A home without settings, so that those of whoever runs the tests do not count.
      env: { PATH: '/usr/bin:/bin', HOME: join(tmpdir(), 'no-home'), ...this.#environment },
    })
    const stdout: string[] = []
    const stderr: string[] = []
    child.stdout.setEncoding('utf8').on('data', text => stdout.push(text))
    child.stderr.setEncoding('utf8').on('data', text => stderr.push(text))
    return new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', status =>
        resolve({ status, stdout: stdout.join(''), stderr: stderr.join('') }),
      )
    })
  }

  /** What a command that must succeed prints.
   *  @throws Error it failed */
  async run(command: string, ...more: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.outcome(command, ...more)
    if (status !== 0) throw new Error(`openstack ${command}: ${stderr || stdout}`)
    return stdout
  }

  /** What a command that must succeed prints, as JSON.
   *  @throws Error it failed */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into output of any shape
  async json(command: string, ...more: readonly string[]): Promise<any> {
    return JSON.parse(await this.run(command, ...more, '-f', 'json'))
  }

  /** What a command that must fail complains of.
   *  @throws Error it succeeded */
  async refusal(command: string, ...more: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.outcome(command, ...more)
    if (status === 0) throw new Error(`openstack ${command} was not refused: ${stdout}`)
    return stderr
  }
}
