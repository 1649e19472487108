import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'

/** Returns the line without which a measurement cannot be compared: when, what, and on what. */
export function machineLine(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const model = cpus()[0]?.model ?? 'unknown processor'
  const date = new Date().toISOString().slice(0, 10)
  return `${date}, commit ${commit}, Node ${process.version}, ${cpus().length} x ${model}`
}
