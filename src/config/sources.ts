import { ConfigError } from './config-error.ts'
import { findNearName } from './near-name.ts'
import { type SettingName, settingNames } from './settings.ts'

/** A source of settings, with its known names only. */
export type Source = {
  /** For messages: ` in settings.json`, or empty for the environment, where the name suffices. */
  readonly place: string
  readonly values: Readonly<Partial<Record<SettingName, unknown>>>
}

const prefix = 'ZONEWRIGHT_'

/** The part of the environment with our prefix.
 *  @throws ConfigError a variable is named like a setting but is none */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): Source {
  const ours = Object.entries(environment).filter(([name]) => name.startsWith(prefix))
  return { place: '', values: knownValues(ours, '') }
}

/** Parses the text of a settings file: one JSON object.
 *  @throws ConfigError it is no JSON object, or has a key that is no setting */
export function parseSettingsFile(path: string, content: string): Source {
  const place = ` in ${path}`
  return { place, values: knownValues(Object.entries(parseObject(path, content)), place) }
}

function parseObject(path: string, content: string): object {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch (cause) {
    // Of the parser's message only the place, where it has one: the rest may quote the file, which may contain passwords.
    const [at = ''] = / \(line \d+ column \d+\)$/.exec((cause as Error).message) ?? []
    throw new ConfigError(`${path} is not valid JSON${at}`, { cause })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new ConfigError(`${path} must hold one JSON object of settings`)
}

function knownValues(entries: readonly [string, unknown][], place: string): Source['values'] {
  for (const [name] of entries) if (!isSettingName(name)) throw unknownSetting(name, place)
  return Object.fromEntries(entries)
}

function isSettingName(name: string): name is SettingName {
  return (settingNames as readonly string[]).includes(name)
}

function unknownSetting(name: string, place: string): ConfigError {
  const near = findNearName(stem(name), settingNames.map(stem))
  const advice =
    near === undefined ? 'the command settings lists them' : `did you mean ${prefix}${near}?`
  return new ConfigError(`unknown setting ${name}${place}; ${advice}`)
}

/** The distinguishing part of a name: all begin with the prefix, and a user may have written dnsWorkers. */
function stem(name: string): string {
  return name.toUpperCase().replace(prefix, '')
}
