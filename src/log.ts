import { openSync, writeSync } from 'node:fs'
import {
  type DestinationStream,
  destination,
  type Logger as PinoLogger,
  pino,
  stdTimeFunctions,
} from 'pino'

// Loaded only where it is used.
const pretty = process.stdout.isTTY ? await import('pino-pretty') : undefined

/** The logger handed to all code that logs. Fields go first, the message second:
 *  `logger.info({ zone, serial, durationMs }, 'zone published')`. The common fields have one name each:
 *  `zone`, `serial`, `peer`, `requestId`, `durationMs`, and `err` for an error. */
export type Logger = PinoLogger

/** From the quietest to the most talkative. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

/** When the reader stalls, lines beyond this are dropped rather than kept in memory. */
const maxWaitingOctets = 16 * 1024 * 1024

/** Lines are written together for at most this long and up to this many characters. */
const togetherMs = 10
const maxTogether = 64 * 1024

// A second safeguard: nothing that holds a secret is meant to be logged at all.
const secretFields = [
  'password',
  'token',
  'secret',
  'key',
  'authorization',
  'cookie',
  'x-auth-token',
]
const redactedPaths = secretFields.flatMap(field => [
  `["${field}"]`,
  `*["${field}"]`,
  `*.*["${field}"]`,
])

type LoggerOptions = {
  readonly level: LogLevel
  /** Where the lines go; standard output when not given. */
  readonly stream?: DestinationStream
}

/** Creates a logger of JSON lines, or of readable lines where standard output is a terminal. Lines to standard output are
 *  written asynchronously, so that a slow reader delays no caller; the rest is written when the process exits, unless it is
 *  killed. */
export function createLogger({ level, stream = standardOutput() }: LoggerOptions): Logger {
  return pino(
    {
      level,
      // The supervisor knows the host and the process; every line saying so would be a third of the log.
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      redact: { paths: redactedPaths, censor: '[secret]' },
    },
    stream,
  )
}

function standardOutput(): DestinationStream {
  if (pretty !== undefined)
    return pretty.PinoPretty({
      destination: 1,
      sync: true,
      singleLine: true,
      translateTime: 'SYS:HH:MM:ss',
    })
  const stream = destination({ dest: 1, sync: false, maxLength: maxWaitingOctets })
  // Without a reader every write fails, and the flush at exit would retry forever.
  const giveUp = () => Object.assign(stream, { fd: openSync('/dev/null', 'w') })
  let isFull = false
  stream.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
    // The next line tries again.
    isFull = ['ENOSPC', 'EDQUOT'].includes(code)
    if (!isFull) giveUp()
  })
  stream.on('write', () => {
    isFull = false
  })
  process.prependOnceListener('exit', () => {
    if (isFull) giveUp()
  })
  return together(stream)
}

/** A stream that writes the lines of some milliseconds together: a write for each line costs more than the line. */
function together(stream: DestinationStream): DestinationStream {
  let lines = ''
  const flush = () => {
    const text = lines
    lines = ''
    if (text !== '') stream.write(text)
  }
  process.once('exit', () => {
    try {
      writeSync(1, lines)
    } catch {
      // There is no reader any more.
    }
  })
  return {
    write: line => {
      if (lines === '') setTimeout(flush, togetherMs).unref()
      lines += line
      if (lines.length > maxTogether) flush()
    },
  }
}
