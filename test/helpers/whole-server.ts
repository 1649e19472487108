import type { Test } from 'tap'
import { type App, startApp } from '../../src/app/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { Logger } from '../../src/log.ts'
import { ApiClient } from './api-client.ts'
import { cheapCost } from './cheap-cost.ts'
import { type FakeClock, fakeClock } from './clock.ts'
import { type Documented, documentedBy } from './documented.ts'
import { silentLogger } from './log.ts'
import { type Account, login, newAccount, newProject } from './members.ts'
import { nodesInPlace } from './nodes-in-place.ts'
import { TurningProxy } from './turning-proxy.ts'

/** The whole server in this process, with every feature switched on and a stopped clock. */
export type WholeServer = {
  readonly app: App
  readonly clock: FakeClock
  readonly anonymous: ApiClient
  readonly admin: ApiClient
  /** Creates an account with a role in a project. */
  makeAccount(who: { name: string; projectId: string; role: string }): Promise<Account>
  makeProject(name: string): Promise<string>
  /** Logs in for the account's project; returns the token. */
  login(account: Account): Promise<string>
  /** A client that makes calls with a token. */
  bearer(token: string): ApiClient
}

const adminToken = 'the-admin-token-of-the-tests'

export type WholeServerOptions = {
  readonly dataDirectory: string
  /** Settings beside the usual ones. */
  readonly environment?: Readonly<Record<string, string>>
  readonly clock?: FakeClock
  readonly logger?: Logger
}

/** Starts it; it ends with the test. */
export async function startWholeServer(t: Test, options: WholeServerOptions): Promise<WholeServer> {
  const { clock = fakeClock(), logger = silentLogger } = options
  const environment = {
    ZONEWRIGHT_DATA_DIR: options.dataDirectory,
    ZONEWRIGHT_API_LISTEN: '127.0.0.1:0',
    ZONEWRIGHT_DNS_LISTEN: '127.0.0.1:0',
    ZONEWRIGHT_DNS_WORKERS: '1',
    ZONEWRIGHT_ADMIN_TOKEN: adminToken,
    ZONEWRIGHT_ADMIN_API: 'on',
    ZONEWRIGHT_EXTENSIONS_V1: 'quotas,sync,touch,reports,diagnostics',
    ...options.environment,
  }
  const start = (env: Environment) => {
    const config = loadConfig({ argv: [], readFile: () => '', environment: env })
    const maxClockOffSeconds = Number.POSITIVE_INFINITY
    return startApp({ config, clock, logger, passwordCost: cheapCost, maxClockOffSeconds })
  }
  const { app, url } = await startAll(t, { environment, start })
  let documented: Documented | undefined
  const anonymous = new ApiClient(url, {}, () => (documented ??= documentedBy(app.mounts)))
  const bearer = (token: string) => anonymous.with({ 'x-auth-token': token })
  const admin = bearer(adminToken)
  return {
    app,
    clock,
    anonymous,
    admin,
    bearer,
    makeProject: name => newProject(admin, name),
    makeAccount: who => newAccount(admin, who),
    login: account => login(anonymous, account),
  }
}

type Environment = Readonly<Record<string, string>>

/** Starts the app, or several nodes instead (`nodesInPlace`), on the same clock. */
async function startAll(
  t: Test,
  { environment, start }: { environment: Environment; start: (env: Environment) => Promise<App> },
): Promise<{ readonly app: App; readonly url: string }> {
  const dataDirectory = environment.ZONEWRIGHT_DATA_DIR ?? ''
  const nodes = (await nodesInPlace({ dataDirectory, environment })) ?? [
    { dataDirectory, environment },
  ]
  const apps = await Promise.all(
    nodes.map(async node => {
      const app = await start({ ...node.environment, ZONEWRIGHT_DATA_DIR: node.dataDirectory })
      t.teardown(() => app.close())
      return app
    }),
  )
  const [first] = apps
  if (first === undefined) throw new Error('there is no server')
  const urls = apps.map(({ api }) => `http://${api.host}:${api.port}`)
  if (apps.length === 1) return { app: first, url: urls[0] ?? '' }
  const proxy = await TurningProxy.open(urls, adminToken)
  const close = async () => {
    await Promise.all(apps.map(app => app.close()))
    await proxy.close()
  }
  t.teardown(close)
  let turn = 0
  const app = {
    ...first,
    get dns() {
      return apps[turn++ % apps.length]?.dns ?? []
    },
    // A job that needs the duty does nothing on the nodes without it.
    runJob: async (name: string) => {
      for (const each of apps) await each.runJob(name)
      await proxy.published()
    },
    close,
  }
  return { app, url: proxy.url }
}
