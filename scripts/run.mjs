// The entry point of every npm script. Plain JavaScript without packages, because it runs before any is installed and
// on whatever Node the machine has: it installs what the lockfiles say where that is missing or stale, finds a
// Node that can run the sources, and hands over to it.

import { commands, usage } from './run/commands.mjs'
import { Failure } from './run/failure.mjs'

const [name, ...rest] = process.argv.slice(2)
const command = commands[name ?? '']

try {
  if (command === undefined) throw new Failure(usage(name), 64)
  await command.run(rest)
} catch (error) {
  if (!(error instanceof Failure)) throw error
  process.stderr.write(`zonewright: ${error.message}\n`)
  process.exitCode = error.exitCode
}
