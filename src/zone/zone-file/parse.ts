import { FormatError } from '../../dns/format-error.ts'
import { isPlainName, maxNameOctets, type Name, parseName } from '../../dns/name.ts'
import { scanToken, type Token } from '../../dns/presentation.ts'
import { parseNameOfFile } from '../../dns/rdata/fields/name.ts'
import { parseSeconds } from '../../dns/rdata/fields/seconds.ts'
import { parsePlainWord, parseRdataTokens, typeCode } from '../../dns/rdata/index.ts'
import { expandTemplate, parseRange, templateOf } from './generate.ts'
import { PlainLine } from './plain-line.ts'
import { type Entry, Scanner } from './scan.ts'
import { ZoneFileError } from './zone-file-error.ts'

// A zone file (RFC 1035 section 5, RFC 2308 section 4) as records, one at a time, so that the reader of a large file
// can pause. $INCLUDE is refused: a file from the network must not name files of this server.

/** One record as the file has it. */
export type ZoneFileRecord = {
  /** From 1. */
  readonly line: number
  readonly owner: Name
  /** Undefined where neither the record nor $TTL nor an earlier record says it. */
  readonly ttlSeconds: number | undefined
  readonly type: number
  /** Uncompressed wire form. */
  readonly rdata: Uint8Array
}

type ParseOptions = {
  /** For relative names before the first $ORIGIN; without it they are refused. */
  readonly origin?: Name
  /** Called with an entry that cannot be read, which is then left out. By default it is thrown. */
  readonly onRefused?: (error: ZoneFileError) => void
}

/** Yields the records in the order of the file.
 *  @throws ZoneFileError a word or a parenthesis without its end, and what `onRefused` throws */
export function* parseZoneFile(
  text: string,
  { origin, onRefused = thrown }: ParseOptions = {},
): Generator<ZoneFileRecord> {
  const state: State = { origin, generatedCharacters: 0 }
  const scanner = new Scanner(text)
  const plain = new PlainLine()
  const recordOfLine = (line: number) => plainRecord(plain, line, state)
  for (;;) {
    const record = scanner.nextPlain(plain, recordOfLine)
    if (record !== undefined) {
      yield record
      continue
    }
    const entry = scanner.next()
    if (entry === undefined) return
    if (entry.tokens.length === 0) continue
    try {
      yield* recordsOf(entry, state)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      onRefused(new ZoneFileError(entry.line, error.message, { cause: error }))
    }
  }
}

function thrown(error: ZoneFileError): never {
  throw error
}

/** What later entries inherit. */
type State = {
  origin: Name | undefined
  /** $TTL. */
  defaultTtlSeconds?: number
  /** Of the last record that had one (RFC 1035 section 5.1), in files from before $TTL. */
  lastTtlSeconds?: number
  lastOwner?: Name
  /** What $GENERATE has written so far. */
  generatedCharacters: number
}

/** The most that all $GENERATE of a file may write: a line of a few hundred characters could otherwise request
 *  gigabytes. */
const maxGeneratedCharacters = 2 ** 26

function recordsOf(entry: Entry, state: State): Iterable<ZoneFileRecord> {
  const [first] = entry.tokens
  if (first === undefined || entry.hasNoOwner || first.isQuoted || !first.raw.startsWith('$')) {
    return [recordOf(entry, state)]
  }
  return directive(first.raw.toUpperCase(), entry, state)
}

function directive(word: string, entry: Entry, state: State): Iterable<ZoneFileRecord> {
  const { tokens } = entry
  switch (word) {
    case '$ORIGIN':
      state.origin = parseName(argument(tokens, 'a domain name'), state.origin)
      return []
    case '$TTL': {
      const ttl = parseSeconds(argument(tokens, 'a TTL'))
      if (ttl === undefined) throw new FormatError(`$TTL needs a TTL, not '${tokens[1]?.raw}'`)
      state.defaultTtlSeconds = ttl
      return []
    }
    case '$GENERATE':
      return generate(entry, state)
    case '$INCLUDE':
      throw new FormatError('$INCLUDE is not allowed: send the zone as one file')
    default:
      throw new FormatError(`${word} is not known here`)
  }
}

function argument(tokens: readonly Token[], expected: string): string {
  const [, token] = tokens
  if (token === undefined || tokens.length !== 2) {
    throw new FormatError(`${tokens[0]?.raw} needs ${expected} and nothing else`)
  }
  return token.raw
}

function* generate({ line, tokens }: Entry, state: State): Generator<ZoneFileRecord> {
  const [, range, ...words] = tokens
  const template = templateOf(words)
  for (const number of parseRange(range?.raw ?? '')) {
    const expanded = template.map(token => expandToken(token, number))
    for (const { raw } of expanded) state.generatedCharacters += raw.length
    if (state.generatedCharacters > maxGeneratedCharacters) {
      throw new FormatError(`$GENERATE writes more than ${maxGeneratedCharacters} characters`)
    }
    yield recordOf({ line, hasNoOwner: false, tokens: expanded }, state)
  }
}

function expandToken({ raw, isQuoted }: Token, number: number): Token {
  const text = expandTemplate(raw, number)
  return isQuoted ? { raw: text, isQuoted, end: 0 } : scanToken(text, 0)
}

function recordOf({ line, hasNoOwner, tokens }: Entry, state: State): ZoneFileRecord {
  const words = [...tokens]
  const owner = hasNoOwner
    ? state.lastOwner
    : parseNameOfFile(words.shift()?.raw ?? '', state.origin)
  if (owner === undefined) throw new FormatError('the first record has no owner name')
  state.lastOwner = owner
  const ttlSeconds = takeTtlAndClass(words, state)
  const mnemonic = words.shift()
  if (mnemonic === undefined) throw new FormatError('a record type is missing')
  const type = mnemonic.isQuoted ? undefined : typeCode(mnemonic.raw)
  if (type === undefined) throw new FormatError(`'${mnemonic.raw}' is not a record type`)
  return { line, owner, ttlSeconds, type, rdata: parseRdataTokens(type, words, state.origin) }
}

/** The record of a line with an owner, perhaps a TTL and `IN`, a type and one word, all in their usual spelling.
 *  Undefined, with nothing changed, for any other line: that may be an error. */
function plainRecord(words: PlainLine, line: number, state: State): ZoneFileRecord | undefined {
  const last = words.wordCount - 1
  let at = 1
  let ttlSeconds: number | undefined
  if (words.startsWithDigit(at)) {
    ttlSeconds = parseSeconds(words.word(at))
    if (ttlSeconds === undefined) return undefined
    at += 1
  }
  if (at === last - 2 && words.word(at) === 'IN') at += 1
  if (at !== last - 1) return undefined
  const type = typeCode(words.word(at))
  const rdata = type === undefined ? undefined : parsePlainWord(type, words.word(last))
  const owner = rdata && plainOwner(words.word(0), state.origin)
  if (type === undefined || rdata === undefined || owner === undefined) return undefined
  state.lastOwner = owner
  if (ttlSeconds !== undefined) state.lastTtlSeconds = ttlSeconds
  return { line, owner, ttlSeconds: ttlSeconds ?? inheritedTtl(state), type, rdata }
}

function plainOwner(word: string, origin: Name | undefined): Name | undefined {
  const isAbsolute = word.endsWith('.')
  const text = isAbsolute ? word : `${word}.`
  if (!isPlainName(text) || (!isAbsolute && origin === undefined)) return undefined
  const name = parseName(text)
  if (isAbsolute) return name
  const owner = name.slice(0, -1) + origin
  return owner.length > maxNameOctets ? undefined : (owner as Name)
}

/** A class, by its name or number (RFC 3597 section 5). */
const classWord = /^(?:IN|CH|HS|CS|CLASS\d{1,5})$/
const servedClasses: readonly string[] = ['IN', 'CLASS1']

/** TTL and class come in either order, and each may be left out. */
function takeTtlAndClass(words: Token[], state: State): number | undefined {
  let ttlSeconds: number | undefined
  let hasClass = false
  for (let word = words[0]; word !== undefined && !word.isQuoted; word = words[0]) {
    const upper = word.raw.toUpperCase()
    const isClass = !hasClass && classWord.test(upper)
    // A name of a type never begins with a digit, so what does is a TTL.
    const isTtl = ttlSeconds === undefined && /^\d/.test(word.raw)
    if (!isClass && !isTtl) break
    if (isClass) {
      if (!servedClasses.includes(upper)) {
        throw new FormatError(`class ${upper} is not served: only IN is`)
      }
      hasClass = true
    } else {
      ttlSeconds = parseSeconds(word.raw)
      if (ttlSeconds === undefined) throw new FormatError(`'${word.raw}' is not a TTL`)
    }
    words.shift()
  }
  if (ttlSeconds !== undefined) state.lastTtlSeconds = ttlSeconds
  return ttlSeconds ?? inheritedTtl(state)
}

function inheritedTtl({ defaultTtlSeconds, lastTtlSeconds }: State): number | undefined {
  return defaultTtlSeconds ?? lastTtlSeconds
}
