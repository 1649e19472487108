import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import type { App } from './app/app.ts'
import { passwordFileIn, requireDataDirectory } from './app/data-directory.ts'
import type { CheckOutcome } from './cli/check.ts'
import { systemClock } from './clock.ts'
import {
  type FileCommand,
  isServerCommand,
  parseArgs,
  serverHelp,
  serverUsages,
  settingsText,
} from './config/command-line.ts'
import { type Config, type ConfigInput, loadConfig } from './config/config.ts'
import { describeConfig } from './config/describe-config.ts'
import { formatHostPort } from './host-port.ts'
import { createLogger, type Logger } from './log.ts'
import { OperatorError, systemErrorOf } from './operator-error.ts'
import { ServiceManager } from './transport/service-manager.ts'
import {
  collectGarbage,
  freeCompiledCode,
  keepCompiledCode,
  returnFreedMemory,
} from './transport/threads/freed-memory.ts'
import { version } from './version.ts'

// The process: arguments and environment in, exit code out. Its work is done in app, cli and client, of which each command
// loads only what it needs: a command should not wait for a server that it does not start.

/** A check has found something. */
const exitDifferent = 1

/** Half of the promised stop time, so that whatever hangs is cut off in time. */
const stopDeadlineMs = 4_500

async function main(): Promise<void> {
  const argv = process.argv.slice(2)
  // The reader of the output may stop early, as `head` and `grep -q` do.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? undefined : explain(error))
  })
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
    case 'serve':
      await serve(configOf(argv))
      return
    default:
      await runOnFiles(command, argv)
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
    loadConfig: configArgv => configOf(configArgv),
  })
}

/** Runs a command on the files of a server. */
async function runOnFiles(command: FileCommand, argv: readonly string[]): Promise<void> {
  const url = 'url' in command && { ZONEWRIGHT_STORE_URL: command.url }
  const config = configOf(argv, { ...process.env, ...url })
  const directory = command.dataDir === undefined ? config.dataDir : resolve(command.dataDir)
  switch (command.kind) {
    case 'store-dump': {
      const { dumpData } = await import('./cli/dump.ts')
      return dumpData({ directory, what: command.what }, async text => {
        if (!process.stdout.write(text)) await once(process.stdout, 'drain')
      })
    }
    case 'store-repair': {
      const { repairData } = await import('./cli/repair.ts')
      process.stdout.write(`${await repairData(directory)}\n`)
      return
    }
    case 'store-publish': {
      const { publishData } = await import('./cli/move.ts')
      process.stdout.write(`${await publishData(config, directory)}\n`)
      return
    }
    case 'store-fetch': {
      const { fetchData } = await import('./cli/move.ts')
      return showChecked(await fetchData(config, directory))
    }
    case 'restore': {
      const { restoreData } = await import('./cli/restore.ts')
      return showChecked(await restoreData(config, { ...command, directory }), command.isJson)
    }
    case 'check': {
      const { checkData } = await import('./cli/check.ts')
      const outcome = await checkData(config, directory)
      return showChecked({ lines: [], outcome }, command.isJson)
    }
  }
}

/** Prints what was done, and what a check found; the exit code says whether it found anything. */
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
  const api = `http://${formatHostPort(app.api)}`
  const { dns, dnsTls, dnsHttps } = app
  logger.info({ api, dns, ...(config.dnsTls && { dnsTls, dnsHttps }) }, 'ready')
  const manager = await ServiceManager.open(process.env)
  await manager.ready()
  if (app.generatedPassword !== undefined) tellPassword(app.generatedPassword, { config, logger })
  if (process.stdout.isTTY)
    process.stdout.write(
      `\nConsole: ${api}/\nAPI: curl -u admin ${api}/v2/zones (any client: ${api}/identity/v3)\n\n`,
    )
  // Not `once`: a signal may arrive several times, from the terminal and from the parent process.
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
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

function configOf(
  argv: readonly string[],
  environment: ConfigInput['environment'] = process.env,
): Config {
  return loadConfig({ environment, argv, readFile: readText })
}

function readText(path: string): string {
  return readFileSync(path, 'utf8')
}

/** What the operator can fix is printed as one line; anything else is a defect and is printed with its stack. */
function explain(error: unknown): number {
  const expected = error instanceof OperatorError ? error : systemErrorOf(error)
  const defect = error instanceof Error ? error.stack : error
  process.stderr.write(`zonewright: ${expected?.message ?? defect}\n`)
  return expected?.exitCode ?? 1
}

try {
  await main()
} catch (error) {
  process.exit(explain(error))
}
