import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { getSystemErrorMessage } from 'node:util'
import { readArchive, skipFile } from '../backup/read-archive.ts'
import { saveArchive } from '../backup/scheduled.ts'
import { ClientError, exitCodes } from '../client/client-error.ts'
import type { Environment } from '../client/credentials.ts'
import { type ClientMachine, runClient } from '../client/program.ts'
import type { Config } from '../config/config.ts'
import { realFiles } from '../durable/file-system.ts'
import { ownServer } from './own-server.ts'

// The composition root of the commands that ask a server: the terminal, files and the settings of this machine.

/** Runs a command of the client and returns the exit code.
 *  @param loadConfig reads the settings of this machine; used unless the server is named otherwise */
export function runClientCommand(
  argv: readonly string[],
  {
    environment,
    loadConfig,
    ...names
  }: Pick<ClientMachine, 'program' | 'serverHelp' | 'serverUsages'> & {
    readonly environment: Environment
    readonly loadConfig: (argv: readonly string[]) => Config
  },
): Promise<number> {
  return runClient(argv, {
    ...names,
    environment,
    readFile: fileText,
    ownServer: configPath =>
      ownServer(loadConfig(configPath === undefined ? [] : ['--config', configPath])),
    terminal: {
      write: text => void process.stdout.write(text),
      writeError: text => void process.stderr.write(text),
      isTerminal: process.stdout.isTTY,
    },
    confirm,
    pause: ms => delay(ms),
    edit: (text, fileName) => editText(text, fileName, environment),
    readText,
    filesLike: pattern => globSync(pattern).sort(),
    saveBackup,
  })
}

function fileText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

async function readText(path: string): Promise<string> {
  if (path === '-') return text(process.stdin)
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const { errno = 0, message } = cause as NodeJS.ErrnoException
    const reason = errno === 0 ? message : getSystemErrorMessage(errno)
    throw new ClientError(`${path} cannot be read: ${reason}`, exitCodes.usage, { cause })
  }
}

async function saveBackup(path: string, archive: AsyncIterable<Uint8Array>) {
  try {
    if (path !== '-') return await saveArchive(realFiles, path, archive)
    return await readArchive(copied(archive), skipFile)
  } catch (cause) {
    if (cause instanceof ClientError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ClientError(`no backup was made: ${reason}`, exitCodes.refused, { cause })
  }
}

/** Passes pieces on and also writes them to standard output. */
async function* copied(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain')
    yield piece
  }
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question}? [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}

/** Opens a text in the user's editor, in a temporary file that only its owner can read. */
async function editText(
  before: string,
  fileName: string,
  { VISUAL, EDITOR }: Environment,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'zonewright-'))
  try {
    const path = join(folder, fileName.replaceAll('/', '_'))
    writeFileSync(path, before, { mode: 0o600 })
    const editor = VISUAL || EDITOR || 'vi'
    // Through a shell, because the variable may hold several words: `code --wait`.
    const child = spawn('/bin/sh', ['-c', `${editor} "$0"`, path], { stdio: 'inherit' })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new ClientError(`${editor} ended with ${code}; nothing was changed`)
    return readFileSync(path, 'utf8')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
