import { parseArgs as parseOptions } from 'node:util'
import { OperatorError } from '../operator-error.ts'
import { type Setting, settingNames, settings } from './settings.ts'

/** The command that the program was called with. */
export type Command =
  | { readonly kind: 'serve'; readonly configPath: string | undefined }
  | FileCommand
  | { readonly kind: 'settings'; readonly isJson: boolean }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }

/** A command on the files of a server. */
export type FileCommand = {
  readonly configPath: string | undefined
  /** Wins over the setting. */
  readonly dataDir: string | undefined
} & (
  | { readonly kind: 'store-repair' }
  /** `what` is the log, a collection, or the name or id of a zone. */
  | { readonly kind: 'store-dump'; readonly what: string }
  /** `url` is the PostgreSQL. Wins over the setting. */
  | { readonly kind: 'store-publish' | 'store-fetch'; readonly url: string }
  | { readonly kind: 'check'; readonly isJson: boolean }
  | {
      readonly kind: 'restore'
      /** An archive, or - for standard input. */
      readonly file: string
      /** The last change that counts, by its number or time. */
      readonly at: string | undefined
      readonly isJson: boolean
    }
)

/** The command is wrong, independently of the settings. The message is one line. */
export class UsageError extends OperatorError {
  /** sysexits.h: the command is wrong. */
  override readonly exitCode = 64
}

/** First words of the commands for the server and its files. All other commands ask a running server. */
const serverWords = ['start', 'check', 'restore', 'store', 'settings']

const options = {
  config: { type: 'string' },
  'data-dir': { type: 'string' },
  at: { type: 'string' },
  to: { type: 'string' },
  from: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/** Options of the commands that ask a server. */
const clientOptions = ['--os-cloud', '--url', '--token', '--token-file']

const optionsWithValue = [
  ...Object.entries(options).flatMap(([name, { type }]) => (type === 'string' ? `--${name}` : [])),
  ...clientOptions,
]

/** Whether the arguments are for `parseArgs`, by their first word after options. Without one, the server starts,
 *  unless an option says which server is to be asked. */
export function isServerCommand(argv: readonly string[]): boolean {
  const isWord = (text: string, i: number) =>
    !text.startsWith('-') && !optionsWithValue.includes(argv[i - 1] ?? '')
  const word = argv.find(isWord)
  if (word === undefined) return !argv.some(text => clientOptions.includes(text))
  return serverWords.includes(word)
}

/** Parses the arguments after the program's name.
 *  @throws UsageError an unknown command or option, or an option that the command does not take */
export function parseArgs(argv: readonly string[]): Command {
  const { values, positionals } = optionsOf(argv)
  if (values.help) return { kind: 'help' }
  if (values.version) return { kind: 'version' }
  const command = commandOf(positionals, values)
  if (command === undefined) throw new UsageError(correctionOf(positionals))
  const usage = serverUsages.find(one => one.startsWith(command.kind.replace('-', ' '))) ?? ''
  for (const [option, owners] of Object.entries(ownersOf))
    if (option in values && !usage.includes(`--${option}`))
      throw new UsageError(`--${option} belongs to ${owners}`)
  return command
}

/** The commands that take an option, where not all do; their usages name it. */
const ownersOf = {
  at: '"restore"',
  to: '"store publish"',
  from: '"store fetch"',
  json: '"check", "restore", "settings" and what asks a server',
  'data-dir': '"check", "restore" and "store …"; elsewhere it is ZONEWRIGHT_DATA_DIR',
} as const

function commandOf(
  words: readonly string[],
  { config: configPath, ...values }: ReturnType<typeof optionsOf>['values'],
): Command | undefined {
  const { 'data-dir': dataDir, at, to, from, json: isJson = false } = values
  const files = { configPath, dataDir }
  const text = words.join(' ')
  const [first, second = '', third = ''] = words
  if (text === '' || text === 'start') return { kind: 'serve', configPath }
  if (text === 'settings') return { kind: 'settings', isJson }
  if (text === 'check') return { kind: 'check', ...files, isJson }
  if (first === 'restore' && words.length === 2)
    return { kind: 'restore', ...files, file: second, at, isJson }
  if (text === 'store repair') return { kind: 'store-repair', ...files }
  if (first === 'store' && second === 'dump' && words.length === 3)
    return { kind: 'store-dump', ...files, what: third }
  if (text === 'store publish' && to !== undefined)
    return { kind: 'store-publish', ...files, url: to }
  if (text === 'store fetch' && from !== undefined)
    return { kind: 'store-fetch', ...files, url: from }
  return undefined
}

/** What the command may have been meant as. */
function correctionOf(words: readonly string[]): string {
  const [first, second] = words
  const meant = serverUsages.filter(usage => usage.split(' ')[0] === first)
  const fitting = meant.filter(usage => usage.split(' ')[1] === second)
  if (meant.length > 0) return `usage: ${(fitting.length > 0 ? fitting : meant).join(', or ')}`
  return `unknown command "${words.join(' ')}"; see --help`
}

function optionsOf(argv: readonly string[]) {
  try {
    return parseOptions({ args: [...argv], allowPositionals: true, options })
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    const [problem] = cause.message.split(/[.\n]/)
    throw new UsageError(`${problem}; see --help`, { cause })
  }
}

/** The part of `--help` about the server and its files.
 *  @param program the command that starts it: `zonewright`, or `npm start --` in a clone */
export function serverHelp(program: string): string {
  const lines = serverCommands.map(([words, does]) =>
    words.length > 36 ? `  ${words}\n  ${''.padEnd(36)} ${does}` : `  ${words.padEnd(36)} ${does}`,
  )
  return `Zonewright: DNS zones over REST, answered from the same store, metered and priced.

${program} <command>. The server and its files:

${lines.join('\n')}

Commands that ask a running server, here or elsewhere:
`
}

const serverCommands = [
  ['[start] [--config settings.json]', 'run the server'],
  ['--version', 'print the version'],
  ['settings [--json]', 'list all settings: environment variables, or keys of the JSON file'],
  [
    'check [--data-dir <path>] [--json]',
    'compare what is stored with itself and with what is answered',
  ],
  [
    'restore <file> [--data-dir <path>] [--at <time|number>] [--json]',
    'put a backup into an empty data directory, and check it',
  ],
  ['store repair [--data-dir <path>]', 'give up what is damaged in the store'],
  ['store dump <what> [--data-dir …]', 'print a zone, "log" or a collection such as "zones"'],
  [
    'store publish --to <url> [--data-dir …]',
    'copy the store of a stopped server into PostgreSQL, for several nodes',
  ],
  ['store fetch --from <url> [--data-dir …]', '… and back, into an empty data directory'],
] as const

/** The commands for the server and its files, each with its options. */
export const serverUsages: readonly string[] = serverCommands.map(([words]) => words)

/** The output of the command `settings`. */
export function settingsText({ isJson = false } = {}): string {
  if (isJson)
    return `${JSON.stringify(
      settingNames.map(name => settingView(name, settings[name])),
      null,
      2,
    )}\n`
  return `${settingNames.map(name => describeSetting(name, settings[name])).join('\n')}\n`
}

function describeSetting(name: string, { meaning, expects, fallback }: Setting): string {
  const standard = fallback === undefined || fallback === '' ? '' : ` (default ${fallback})`
  return `  ${name}${standard}\n      ${meaning}; ${expects}`
}

function settingView(name: string, { meaning, expects, fallback }: Setting) {
  return { name, default: fallback ?? null, meaning, value: expects }
}
