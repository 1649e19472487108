import { parseArgs as parseOptions } from 'node:util'
import { ConfigError } from './config-error.ts'
import { type Setting, settingNames, settings } from './settings.ts'

/** What the program was asked to do. */
export type Command =
  | { readonly kind: 'serve'; readonly configPath: string | undefined }
  | {
      readonly kind: 'store-repair'
      readonly configPath: string | undefined
      /** Wins over the setting. */
      readonly dataDir: string | undefined
    }
  | {
      readonly kind: 'store-dump'
      readonly configPath: string | undefined
      /** Wins over the setting. */
      readonly dataDir: string | undefined
      /** The log, a collection, or the name or id of a zone. */
      readonly what: string
    }
  | {
      readonly kind: 'store-publish' | 'store-fetch'
      readonly configPath: string | undefined
      /** Wins over the setting. */
      readonly dataDir: string | undefined
      /** The PostgreSQL. Wins over the setting. */
      readonly url: string
    }
  | {
      readonly kind: 'check'
      readonly configPath: string | undefined
      /** Wins over the setting. */
      readonly dataDir: string | undefined
    }
  | {
      readonly kind: 'restore'
      readonly configPath: string | undefined
      /** Wins over the setting. */
      readonly dataDir: string | undefined
      /** An archive, or - for standard input. */
      readonly file: string
      /** The last change that counts, by its number or time. */
      readonly at: string | undefined
    }
  | {
      readonly kind: 'pricing-apply'
      readonly configPath: string | undefined
      /** The name of a price model. */
      readonly model: string
    }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }

/** Parses the arguments after the program's name.
 *  @throws ConfigError an unknown command or option */
export function parseArgs(argv: readonly string[]): Command {
  const { values, positionals } = optionsOf(argv)
  if (values.help) return { kind: 'help' }
  if (values.version) return { kind: 'version' }
  const words = positionals.join(' ')
  const configPath = values.config
  const dataDir = values['data-dir']
  if (words === 'store repair') return { kind: 'store-repair', configPath, dataDir }
  const move = moveOf(words, values)
  if (move !== undefined) return { ...move, configPath, dataDir }
  if (words === 'check') return { kind: 'check', configPath, dataDir }
  const [first, second, third, ...more] = positionals
  if (first === 'restore' && second !== undefined && third === undefined)
    return { kind: 'restore', configPath, dataDir, file: second, at: values.at }
  if (values.at !== undefined) throw new ConfigError('--at belongs to "restore"')
  if (third !== undefined && more.length === 0) {
    if (first === 'store' && second === 'dump')
      return { kind: 'store-dump', configPath, dataDir, what: third }
    if (first === 'pricing' && second === 'apply') {
      requireNoDataDir(dataDir)
      return { kind: 'pricing-apply', configPath, model: third }
    }
  }
  if (words !== '' && words !== 'serve')
    throw new ConfigError(`unknown command "${words}"; see --help`)
  requireNoDataDir(dataDir)
  return { kind: 'serve', configPath }
}

type Move = Pick<Extract<Command, { readonly url: string }>, 'kind' | 'url'>

function moveOf(
  words: string,
  { to, from }: { readonly to?: string | undefined; readonly from?: string | undefined },
): Move | undefined {
  if (words === 'store publish' && to !== undefined) return { kind: 'store-publish', url: to }
  if (words === 'store fetch' && from !== undefined) return { kind: 'store-fetch', url: from }
  if (to !== undefined) throw new ConfigError('--to belongs to "store publish"')
  if (from !== undefined) throw new ConfigError('--from belongs to "store fetch"')
  return undefined
}

function requireNoDataDir(dataDir: string | undefined): void {
  if (dataDir !== undefined)
    throw new ConfigError(
      '--data-dir belongs to "check", "restore" and "store …"; elsewhere it is ZONEWRIGHT_DATA_DIR',
    )
}

function optionsOf(argv: readonly string[]) {
  try {
    return parseOptions({
      args: [...argv],
      allowPositionals: true,
      options: {
        config: { type: 'string' },
        'data-dir': { type: 'string' },
        at: { type: 'string' },
        to: { type: 'string' },
        from: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    })
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    const [problem] = cause.message.split(/[.\n]/)
    throw new ConfigError(`${problem}; see --help`, { cause })
  }
}

/** The text of `--help`. */
export function helpText(): string {
  return `Zonewright: DNS zones over REST, answered from the same store, metered and priced.

  npm start                                       run the server
  npm start -- --config settings.json             … with the settings of a JSON file
  npm start -- check [--data-dir <path>]          see whether what is stored agrees with what is answered
  npm start -- store repair [--data-dir <path>]   give up what is damaged in the store
  npm start -- store dump <what> [--data-dir …]   print a zone (name or id) as a zone file, or "log" or a collection as JSON
  npm start -- store publish --to <url>           take the store of a server that is stopped into PostgreSQL, for several nodes
  npm start -- store fetch --from <url>           … and back, into an empty data directory
  npm start -- backup <file>                      write all that a running server stores to an archive
  npm start -- restore <file> [--at <time|number>]
                                                  put an archive into an empty data directory, and check it
  npm start -- pricing apply default              set the default prices of what is metered
  npm start -- zone | record | project | user …   manage a running server (npm start -- zone --help)
  npm start -- --help | --version

Settings: environment variables, or keys of the same names in the file. The environment wins.

${settingNames.map(name => describeSetting(name, settings[name])).join('\n')}
`
}

function describeSetting(name: string, { meaning, expects, fallback }: Setting): string {
  const standard = fallback === undefined || fallback === '' ? '' : ` (default ${fallback})`
  return `  ${name}${standard}\n      ${meaning}; ${expects}`
}
