import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Mount } from '../../../src/api/route-table.ts'
import type { ApiClient } from '../../helpers/api-client.ts'
import { serverFolder } from '../../helpers/server-folder.ts'
import { until } from '../../helpers/until.ts'
import { startWholeServer, type WholeServer } from '../../helpers/whole-server.ts'
import { callStream } from './event-stream.ts'
import { makeThings, type Things } from './things.ts'

// The whole server with everything switched on, one project that has things, and those who have no part in them.

export type Served = {
  readonly mounts: readonly Mount[]
  readonly things: Things
  /** The administrator, over all projects. */
  readonly admin: ApiClient
  readonly owner: ApiClient
  /** A reader in the owner's project. */
  readonly reader: ApiClient
  /** A member of another project. */
  readonly stranger: ApiClient
  /** Those whom nobody knows, by what they are. */
  readonly unknown: Readonly<Record<string, ApiClient>>
  /** Lets as much time pass as a failed login costs. */
  passTime(): void
  /** Resolves when nothing more is noted of how far the owner's webhook is. */
  webhooksNoted(): Promise<void>
  /** What changes with every commit. */
  storeState(): string
}

const tokenLifetimeMillis = 3_600_000

export async function serve(t: Test): Promise<Served> {
  const dataDirectory = serverFolder(t)
  const environment = {
    ZONEWRIGHT_QUERY_LOG: join(dataDirectory, 'queries'),
    ZONEWRIGHT_QUERY_LOG_SAMPLE: '0',
  }
  const server = await startWholeServer(t, { dataDirectory, environment })
  const { app, clock, anonymous, bearer, login } = server
  const admin = server.admin.with({ 'x-auth-all-projects': 'true' })
  const accounts = await makeAccounts(server)
  const expired = await login(accounts.owner)
  clock.advanceMillis(tokenLifetimeMillis)
  const revoked = await login(accounts.owner)
  const gone = await bearer(revoked)
    .with({ 'x-subject-token': revoked })
    .delete('/identity/v3/auth/tokens')
  if (gone.status !== 204) throw new Error(`the token was not taken back: ${gone.text}`)
  const ownerToken = await login(accounts.owner)
  const owner = bearer(ownerToken)
  const things = await makeThings({ admin, owner, ownerToken, account: accounts.owner })
  return {
    mounts: app.mounts,
    things,
    admin,
    owner,
    reader: bearer(await login(accounts.reader)),
    stranger: bearer(await login(accounts.stranger)),
    unknown: {
      'no token': anonymous,
      'a token that is none': bearer('x'.repeat(40)),
      'an expired token': bearer(expired),
      'a revoked token': bearer(revoked),
    },
    passTime: () => clock.advanceMillis(15_000),
    webhooksNoted: () => webhooksNoted(owner, dataDirectory),
    storeState: () => journalState(dataDirectory),
  }
}

/** Every commit makes the journal longer, and here all of it is kept. */
function journalState(dataDirectory: string): string {
  const journal = join(dataDirectory, 'journal')
  const names = readdirSync(journal).sort()
  return names.map(name => `${name} ${statSync(join(journal, name)).size}`).join('\n')
}

/** Waits until the server has noted that the owner's webhook is past its last event, which it does some time after. */
async function webhooksNoted(owner: ApiClient, dataDirectory: string): Promise<void> {
  const { text } = await callStream(owner.with({ 'last-event-id': '0' }), '/v2/events')
  const last = Number([...text.matchAll(/^id: (\d+)-/gm)].at(-1)?.[1])
  const note = /"collection":"webhookPlaces".*?"after":\{[^}]*"eventId":"(\d+)/g
  const journal = join(dataDirectory, 'journal')
  const noted = () =>
    readdirSync(journal)
      .flatMap(name => [...readFileSync(join(journal, name), 'latin1').matchAll(note)])
      .map(([, lsn]) => Number(lsn))
  await until(() => noted().some(lsn => lsn >= last))
}

async function makeAccounts({ makeProject, makeAccount }: WholeServer) {
  const owned = await makeProject('name-of-the-owner')
  const other = await makeProject('elsewhere')
  return {
    owner: await makeAccount({ name: 'user-of-the-owner', projectId: owned, role: 'member' }),
    reader: await makeAccount({ name: 'a-reader', projectId: owned, role: 'reader' }),
    stranger: await makeAccount({ name: 'a-stranger', projectId: other, role: 'member' }),
  }
}
