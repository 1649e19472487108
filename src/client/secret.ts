import type { Command } from 'commander'
import { ClientError, exitCodes } from './client-error.ts'

/** Reads the text of a file, or of standard input for `-`.
 *  @throws ClientError */
export type SecretReader = (path: string) => Promise<string>

/** Adds `--<name>`, and `--<name>-file`: options are seen by all users of a machine. */
export function withSecret(command: Command, name: string, meaning: string): Command {
  return command
    .option(`--${name} <${name}>`, meaning)
    .option(`--${name}-file <file>`, 'a file with it (- for standard input), hidden from `ps`')
}

/** The value of such options; undefined where neither is given.
 *  @param name in camel case
 *  @throws ClientError both are given, or the file cannot be read */
export async function secretOf(
  name: string,
  options: Readonly<Record<string, unknown>>,
  readText: SecretReader,
): Promise<string | undefined> {
  const { [name]: given, [`${name}File`]: file } = options
  if (typeof file !== 'string') return given as string | undefined
  if (given !== undefined)
    throw new ClientError('a secret is given, and a file with it too', exitCodes.usage)
  return (await readText(file)).replace(/\r?\n$/, '')
}
