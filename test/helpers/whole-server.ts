import type { Test } from 'tap'
import { type App, startApp } from '../../src/app/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { createLogger, type Logger } from '../../src/log.ts'
import { ApiClient } from './api-client.ts'
import { cheapCost } from './cheap-cost.ts'
import { type FakeClock, fakeClock } from './clock.ts'
import { type Documented, documentedBy } from './documented.ts'
import { type Account, login, newAccount, newProject } from './members.ts'

/** All of the server in this process, with everything switched on, on a clock that stands still. */
export type WholeServer = {
  readonly app: App
  readonly clock: FakeClock
  readonly anonymous: ApiClient
  readonly admin: ApiClient
  /** Makes an account with a role in a project. */
  makeAccount(who: { name: string; projectId: string; role: string }): Promise<Account>
  makeProject(name: string): Promise<string>
  /** Logs in for the account's project; returns the token. */
  login(account: Account): Promise<string>
  /** Who makes calls with a token. */
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
  const { clock = fakeClock(), logger = createLogger({ level: 'silent' }) } = options
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
  const app = await startApp({
    config: loadConfig({ argv: [], readFile: () => '', environment }),
    clock,
    logger,
    passwordCost: cheapCost,
  })
  t.teardown(() => app.close())
  let documented: Documented | undefined
  const url = `http://${app.api.host}:${app.api.port}`
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
