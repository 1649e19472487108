import { createLogger, type Logger, type LogLevel } from '../../src/log.ts'

/** For what logs where no test reads it. One for all: each on standard output listens to the end of the process. */
export const silentLogger = createLogger({ level: 'silent' })

/** A logger whose lines a test can read. */
export type MemoryLog = {
  readonly logger: Logger
  // biome-ignore lint/suspicious/noExplicitAny: tests look into lines of any shape
  lines(): any[]
  text(): string
}

export function memoryLog(level: LogLevel): MemoryLog {
  const written: string[] = []
  const stream = { write: (line: string) => void written.push(line) }
  return {
    logger: createLogger({ level, stream }),
    lines: () => written.map(line => JSON.parse(line)),
    text: () => written.join(''),
  }
}
