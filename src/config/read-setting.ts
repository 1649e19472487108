import type { XStatic } from 'typebox/schema'
import { compile } from '../validator.ts'
import { ConfigError } from './config-error.ts'
import { type Setting, type SettingName, settings } from './settings.ts'
import type { Source } from './sources.ts'
import { withoutUserInfo } from './url.ts'

type ValueOf<N extends SettingName> = XStatic<(typeof settings)[N]['schema']>

/** A setting with a default always has a value. */
type Read<N extends SettingName> = (typeof settings)[N] extends { readonly fallback: string }
  ? ValueOf<N>
  : ValueOf<N> | undefined

/** The value of a setting from the first source that has one, else its default, as its schema says.
 *  @throws ConfigError the value is not valid */
export function readSetting<N extends SettingName>(name: N, sources: readonly Source[]): Read<N> {
  const { raw, value, place } = findValue(name, sources)
  const isValid = value === undefined || compile(settings[name].schema)(value).length === 0
  if (!isValid) throw invalidSetting(name, raw, place)
  return value as Read<N>
}

/** As `readSetting`, for checks that a schema cannot express: `parse` returns undefined for a value that is not valid.
 *  @throws ConfigError the value is not valid */
export function parseSetting<N extends SettingName, P>(
  name: N,
  sources: readonly Source[],
  parse: (value: Read<N>) => P | undefined,
): P {
  const parsed = parse(readSetting(name, sources))
  if (parsed !== undefined) return parsed
  const { raw, place } = findValue(name, sources)
  throw invalidSetting(name, raw, place)
}

/** Whether the setting was given a value, as opposed to its default. */
export function isSet(name: SettingName, sources: readonly Source[]): boolean {
  return sources.some(source => !isUnset(source.values[name], settings[name]))
}

function invalidSetting(name: SettingName, raw: unknown, place: string): ConfigError {
  const { expects, isSecret }: Setting = settings[name]
  const shown = isSecret ? '' : `, not ${withoutUserInfo(JSON.stringify(raw))}`
  return new ConfigError(`${name}${place} must be ${expects}${shown}`)
}

/** The value before and after it is read from text, and where it was found. */
function findValue(name: SettingName, sources: readonly Source[]) {
  const setting: Setting = settings[name]
  const found = sources.find(source => !isUnset(source.values[name], setting))
  const raw = found === undefined ? setting.fallback : found.values[name]
  const value = typeof raw === 'string' ? fromText(raw, setting) : raw
  return { raw, value, place: found?.place ?? '' }
}

/** An empty variable counts as unset, since scripts and Compose files pass on variables that may be unset. Only for a list is
 *  it a value: the empty list. */
function isUnset(raw: unknown, setting: Setting): boolean {
  return raw === undefined || raw === null || (raw === '' && !isList(setting))
}

function fromText(raw: string, setting: Setting): unknown {
  if (isList(setting)) return raw === '' ? [] : raw.split(',').map(entry => entry.trim())
  const isNumber = 'type' in setting.schema && setting.schema.type === 'integer'
  return isNumber && /^\d+$/.test(raw) ? Number(raw) : raw
}

function isList({ schema }: Setting): boolean {
  return 'type' in schema && schema.type === 'array'
}
