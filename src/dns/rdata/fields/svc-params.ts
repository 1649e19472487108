import { FormatError } from '../../format-error.ts'
import { unescapeText } from '../../presentation.ts'
import type { Reader } from '../../reader.ts'
import type { Field } from '../field.ts'
import type { RdataText } from '../rdata-text.ts'
import { maxRdataOctets, type RdataWriter } from '../rdata-writer.ts'
import { latin1 } from './strings.ts'
import { isBareKey, svcParamKey, svcParamKeyName } from './svc-param-key.ts'
import { formatSvcParamValue, parseSvcParamValue } from './svc-param-values.ts'

/** One service parameter; `octets` is its wire value, one character per octet. */
export type SvcParam = { readonly key: number; readonly octets: string }

/** Service parameters to the end, in ascending order of keys, each at most once (RFC 9460 section 2.2). */
export const svcParams: Field<readonly SvcParam[]> = {
  decode: decodeParams,
  encode: encodeParams,
  parse: parseParams,
  format: params => params.map(formatParam).join(' '),
}

function decodeParams(reader: Reader): SvcParam[] {
  const params: SvcParam[] = []
  let lastKey = -1
  while (reader.remainingOctets > 0) {
    const at = reader.offset
    const key = reader.u16()
    if (key <= lastKey) throw new FormatError(`service parameters out of order at offset ${at}`)
    lastKey = key
    const param = { key, octets: latin1(reader.take(reader.u16())) }
    // A recipient must treat a malformed value as a malformed record (RFC 9460 section 2.2), and what can
    // be written as text is well-formed.
    formatParam(param)
    params.push(param)
  }
  return params
}

function encodeParams(params: readonly SvcParam[], writer: RdataWriter): void {
  for (const { key, octets } of params) {
    writer.u16(key)
    writer.u16(octets.length)
    writer.text(octets)
  }
}

function parseParams(text: RdataText): SvcParam[] {
  const params = text.all(parseParam)
  params.sort((left, right) => left.key - right.key)
  params.forEach((param, index) => {
    if (param.key === params[index + 1]?.key) {
      throw text.fault('each parameter once', svcParamKeyName(param.key))
    }
  })
  return params
}

/** `key`, `key=value` or `key="value"` (RFC 9460 section 2.1). */
function parseParam(text: RdataText): SvcParam {
  const { raw, isQuoted } = text.next('a parameter')
  const equals = raw.indexOf('=')
  const keyName = equals < 0 ? raw : raw.slice(0, equals)
  const key = isQuoted ? undefined : svcParamKey(keyName)
  if (key === undefined) throw text.fault('a parameter key=value', raw)
  const value = equals < 0 ? '' : raw.slice(equals + 1)
  const bare = value.startsWith('"') ? value.slice(1, -1) : value
  if (equals >= 0 && isBareKey(keyName)) throw text.fault(`${keyName} without '='`, raw)
  const octets = parseSvcParamValue(keyName, unescapeText(bare))
  if (octets.length > maxRdataOctets) {
    throw text.fault(`a value of at most ${maxRdataOctets} octets`, bare)
  }
  return { key, octets }
}

function formatParam({ key, octets }: SvcParam): string {
  const value = formatSvcParamValue(key, octets)
  const name = svcParamKeyName(key)
  return value === '' ? name : `${name}=${value}`
}
