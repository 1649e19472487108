import { Argument, Command, CommanderError } from 'commander'
import { addAccountCommands } from './account-commands.ts'
import { ClientError, exitCodes, serverUrl } from './client-error.ts'
import { completionFor, type Shell, shells } from './completion.ts'
import type { Context } from './context.ts'
import { type CredentialSources, findServer } from './credentials.ts'
import { addDnssecCommands } from './dnssec-commands.ts'
import { addHistoryCommands } from './history-commands.ts'
import { addImportCommands } from './import-commands.ts'
import { addOperatingCommands } from './operating-commands.ts'
import { harmless, Output, type Terminal } from './output.ts'
import { addPriceCommands } from './price-commands.ts'
import { addQueryCommands } from './query-commands.ts'
import { addRecordCommands } from './record-commands.ts'
import { withSecret } from './secret.ts'
import { Session } from './session.ts'
import { addZoneCommands } from './zone-commands.ts'

/** What the commands need from the machine. */
export type ClientMachine = CredentialSources &
  Pick<Context, 'confirm' | 'pause' | 'edit' | 'readText' | 'filesLike' | 'saveBackup'> & {
    readonly terminal: Terminal
    /** The command line that starts this program here. */
    readonly program: string
    /** The text that `--help` prints before these commands. */
    readonly serverHelp: string
    /** The commands in that text. */
    readonly serverUsages: readonly string[]
  }

const description = `Manage zones of a server. It is found by --os-cloud or OS_CLOUD in clouds.yaml, by OS_AUTH_URL and the like, by \
--url and --token, or else it is the one with the settings of this machine.`

/** Runs one command and returns the process's exit code. Errors are printed in one line. */
export async function runClient(argv: readonly string[], machine: ClientMachine): Promise<number> {
  try {
    await programFor(machine).parseAsync([...argv], { from: 'user' })
    return 0
  } catch (error) {
    // Already printed: help, or a usage error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
    if (!(error instanceof ClientError)) throw error
    machine.terminal.writeError(`zonewright: ${harmless(error.message)}\n`)
    return error.exitCode
  }
}

function programFor(machine: ClientMachine): Command {
  const { terminal } = machine
  const program = new Command(machine.program)
    .usage('[options] <command>')
    .description(description)
    .addHelpText('before', machine.serverHelp)
    .option('--os-cloud <name>', 'a cloud of clouds.yaml')
    .option('--url <url>', 'the server, such as http://127.0.0.1:9001', serverUrl)
  withSecret(program, 'token', 'a token of that server')
    .option('--config <file>', 'the settings of the server on this machine')
    .option('--all-projects', 'with the zones of all projects, for administrators')
    .option('--json', 'print JSON as the server gives it')
    .exitOverride()
    .configureOutput({ writeOut: terminal.write, writeErr: terminal.writeError })
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
  const context: Context = {
    server: new Session(async () => {
      const { allProjects, ...options } = program.opts()
      const server = await findServer(options, machine)
      if (allProjects !== true) return server
      return { ...server, headers: { ...server.headers, 'x-auth-all-projects': 'true' } }
    }),
    async betweenClouds() {
      const { osCloud, ...others } = program.opts()
      if (osCloud === undefined) throw new ClientError('--os-cloud is missing', exitCodes.usage)
      const { designateUrl, ...cloud } = await findServer({ osCloud }, machine)
      const to = await findServer(others, { ...machine, environment: {} })
      return {
        from: new Session(async () => ({ ...cloud, url: designateUrl ?? cloud.url })),
        to: new Session(async () => to),
      }
    },
    output: () => new Output(terminal, { isJson: program.opts().json === true }),
    ...machine,
  }
  addZoneCommands(program, context)
  addDnssecCommands(program, context)
  addRecordCommands(program, context)
  addHistoryCommands(program, context)
  addAccountCommands(program, context)
  addImportCommands(program, context)
  addPriceCommands(program, context)
  addOperatingCommands(program, context)
  addQueryCommands(program, context)
  program
    .command('completion')
    .description('print a script that completes these commands in a shell')
    .addArgument(new Argument('<shell>').choices(shells))
    .action((shell: Shell) => {
      const commands = { program, serverUsages: machine.serverUsages }
      terminal.write(`${completionFor(shell, commands, 'zonewright')}\n`)
    })
  return program
}
