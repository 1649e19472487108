import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { ServerUnavailableError } from './api/ask-server.ts'
import type { App } from './app/app.ts'
import { passwordFileIn, requireDataDirectory } from './app/data-directory.ts'
import { ArchiveError } from './backup/read-archive.ts'
import type { CheckOutcome } from './cli/check.ts'
import { systemClock } from './clock.ts'
import {
  isServerCommand,
  parseArgs,
  serverHelp,
  serverUsages,
  settingsText,
  UsageError,
} from './config/command-line.ts'
import { type Config, loadConfig } from './config/config.ts'
import { ConfigError } from './config/config-error.ts'
import { describeConfig } from './config/describe-config.ts'
import { DamageError } from './durable/damage.ts'
import { StoreLockedError } from './durable/lock.ts'
import { NoRoomError } from './durable/no-room.ts'
import { createLogger, type Logger } from './log.ts'
import { isForPeople } from './store/shared/errors.ts'
import { StoreUnavailableError } from './store/store.ts'
import { NewerVersionError } from './store/tables.ts'
import { formatAddress, ListenError } from './transport/listen-error.ts'
import { ServiceManager } from './transport/service-manager.ts'
import {
  collectGarbage,
  freeCompiledCode,
  keepCompiledCode,
  returnFreedMemory,
} from './transport/threads/freed-memory.ts'
import { CertificateError } from './transport/tls-certificate.ts'
import { version } from './version.ts'

// The process: arguments and environment in, exit code out. Its work is done in app, cli and client, of which each command
// loads only what it needs: a command should not wait for a server that it does not start.

/** A check has found something. */
const exitDifferent = 1
/** sysexits.h: the command is wrong. */
const exitUsage = 64
/** sysexits.h: a setting is wrong; starting again will not help. */
const exitConfig = 78
/** sysexits.h: an address or a lock is taken, or the data needs manual repair. */
const exitUnavailable = 69

/** Half of the promised stop time, so that whatever hangs is cut off in time. */
const stopDeadlineMs = 4_500

async function main(): Promise<void> {
  const argv = process.argv.slice(2)
  if (!isServerCommand(argv)) {
    await ask(argv)
    return
  }
  const command = parseArgs(argv)
  switch (command.kind) {
    case 'help':
      await ask(['--help'])
      return
    case 'settings':
      process.stdout.write(settingsText(command))
      return
    case 'version':
      process.stdout.write(`${version}\n`)
      return
    case 'store-repair':
      await repair(loadConfig({ environment: process.env, argv, readFile: readText }), command)
      return
    case 'store-dump':
      await dump(loadConfig({ environment: process.env, argv, readFile: readText }), command)
      return
    case 'store-publish':
    case 'store-fetch': {
      const environment = { ...process.env, ZONEWRIGHT_STORE_URL: command.url }
      await move(loadConfig({ environment, argv, readFile: readText }), command)
      return
    }
    case 'restore':
      await restore(loadConfig({ environment: process.env, argv, readFile: readText }), command)
      return
    case 'check':
      await check(loadConfig({ environment: process.env, argv, readFile: readText }), command)
      return
    case 'serve':
      await serve(loadConfig({ environment: process.env, argv, readFile: readText }))
  }
}

/** Runs a command that asks a server. */
async function ask(argv: readonly string[]): Promise<void> {
  const { runClientCommand } = await import('./cli/client.ts')
  const program = process.env.npm_lifecycle_event === 'start' ? 'npm start --' : 'zonewright'
  process.exitCode = await runClientCommand(argv, {
    environment: process.env,
    program,
    serverHelp: serverHelp(program),
    serverUsages,
    loadConfig: configArgv =>
      loadConfig({ environment: process.env, argv: configArgv, readFile: readText }),
  })
}

async function dump(
  config: Config,
  { dataDir, what }: { dataDir: string | undefined; what: string },
): Promise<void> {
  const directory = dataDir === undefined ? config.dataDir : resolve(dataDir)
  const { dumpData } = await import('./cli/dump.ts')
  await dumpData({ directory, what }, async text => {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain')
  })
}

/** Prints what was given up; the files that held it are kept beside those of the store. */
async function repair(config: Config, { dataDir }: { dataDir: string | undefined }): Promise<void> {
  const directory = dataDir === undefined ? config.dataDir : resolve(dataDir)
  const { repairData } = await import('./cli/repair.ts')
  process.stdout.write(`${await repairData(directory)}\n`)
}

/** Copies a store into PostgreSQL, or out of it and then checks the result. */
async function move(
  config: Config,
  { kind, dataDir }: { kind: 'store-publish' | 'store-fetch'; dataDir: string | undefined },
): Promise<void> {
  const directory = dataDir === undefined ? config.dataDir : resolve(dataDir)
  const { fetchData, publishData } = await import('./cli/move.ts')
  if (kind === 'store-publish') process.stdout.write(`${await publishData(config, directory)}\n`)
  else await showChecked(await fetchData(config, directory))
}

async function showChecked(
  { lines, outcome }: { readonly lines: readonly string[]; readonly outcome: CheckOutcome },
  isJson = false,
): Promise<void> {
  const { checkAsJson, describeCheck, isClean } = await import('./cli/check.ts')
  process.stdout.write(
    isJson
      ? `${JSON.stringify({ done: lines, ...checkAsJson(outcome) }, null, 2)}\n`
      : `${[...lines, describeCheck(outcome)].join('\n')}\n`,
  )
  if (!isClean(outcome)) process.exitCode = exitDifferent
}

/** Restores an archive into an empty data directory and then checks the result. */
async function restore(
  config: Config,
  given: { dataDir: string | undefined; file: string; at: string | undefined; isJson: boolean },
): Promise<void> {
  const directory = given.dataDir === undefined ? config.dataDir : resolve(given.dataDir)
  const { restoreData } = await import('./cli/restore.ts')
  await showChecked(await restoreData(config, { ...given, directory }), given.isJson)
}

/** Prints what was compared and what differs; the exit code says whether anything does. */
async function check(
  config: Config,
  { dataDir, isJson }: { dataDir: string | undefined; isJson: boolean },
): Promise<void> {
  const directory = dataDir === undefined ? config.dataDir : resolve(dataDir)
  const { checkData } = await import('./cli/check.ts')
  await showChecked({ lines: [], outcome: await checkData(config, directory) }, isJson)
}

async function serve(config: Config): Promise<void> {
  const logger = createLogger({ level: config.logLevel })
  logger.info({ version, config: describeConfig(config) }, 'starting')
  requireDataDirectory(config.dataDir)
  if (!isLoopback(config.apiListen))
    logger.warn('the API speaks plain HTTP beyond this machine: put a TLS proxy in front of it')
  // The flag that the process was started with is for this thread; it would override the limits that other threads have.
  setFlagsFromString('--max-semi-space-size=0')
  const { startApp } = await import('./app/app.ts')
  const app = await startApp({ config, clock: systemClock, logger })
  freeCompiledCode()
  collectGarbage()
  await returnFreedMemory()
  const api = `http://${formatAddress(app.api)}`
  const { dns, dnsTls, dnsHttps } = app
  logger.info({ api, dns, ...(config.dnsTls && { dnsTls, dnsHttps }) }, 'ready')
  const manager = await ServiceManager.open(process.env)
  await manager.ready()
  if (app.generatedPassword !== undefined) tellPassword(app.generatedPassword, { config, logger })
  if (process.stdout.isTTY)
    process.stdout.write(
      `\nLog in: curl -u admin ${api}/v2/zones (any client: ${api}/identity/v3)\n\n`,
    )
  // Not `once`: a Ctrl-C may arrive several times, from the terminal and from the parent process.
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (!isStopping) void stop(app, { logger, manager, signal })
      isStopping = true
    })
  }
}

async function stop(
  app: App,
  { logger, manager, signal }: { logger: Logger; manager: ServiceManager; signal: string },
): Promise<void> {
  logger.info({ signal }, 'stopping')
  // The server stops even if this fails.
  await manager.stopping().catch(err => logger.warn({ err }, 'the service manager is gone'))
  const deadline = setTimeout(() => {
    logger.error('not stopped in time; what was acknowledged is durable')
    process.exit(1)
  }, stopDeadlineMs)
  try {
    await app.close()
  } catch (err) {
    logger.error({ err }, 'not all could be closed; what was acknowledged is durable')
    process.exit(1)
  }
  clearTimeout(deadline)
  logger.info('stopped')
  keepCompiledCode()
  process.exit(0)
}

/** The log is kept and read by others, so it only says where the password is. */
function tellPassword(
  password: string,
  { config, logger }: { readonly config: Config; readonly logger: Logger },
): void {
  const file = passwordFileIn(config.dataDir)
  logger.info({ file }, 'the password of the user "admin" is in a file')
  if (process.stdout.isTTY)
    process.stdout.write(
      `\nThe administrator is user "admin" of project "admin", password: ${password}\n`,
    )
}

function isLoopback({ host }: { readonly host: string }): boolean {
  return host === '::1' || host.startsWith('127.')
}

function readText(path: string): string {
  return readFileSync(path, 'utf8')
}

/** An error that the operator can fix is printed as one line; anything else is a defect and is printed with its stack. */
function explain(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`zonewright: ${error.message}\n`)
    return exitUsage
  }
  if (error instanceof ConfigError || error instanceof CertificateError) {
    process.stderr.write(`zonewright: ${error.message}\n`)
    return exitConfig
  }
  const isExpected =
    error instanceof ServerUnavailableError ||
    error instanceof ListenError ||
    error instanceof ArchiveError ||
    error instanceof DamageError ||
    error instanceof NoRoomError ||
    error instanceof StoreLockedError ||
    error instanceof StoreUnavailableError ||
    error instanceof NewerVersionError ||
    isForPeople(error)
  process.stderr.write(
    isExpected
      ? `zonewright: ${error.message}\n`
      : `zonewright: ${error instanceof Error ? error.stack : error}\n`,
  )
  return isExpected ? exitUnavailable : 1
}

try {
  await main()
} catch (error) {
  process.exit(explain(error))
}
