import { matchesGlob } from 'node:path'
import { saveArchive } from '../../src/backup/scheduled.ts'
import { ClientError } from '../../src/client/client-error.ts'
import type { CredentialSources } from '../../src/client/credentials.ts'
import { runClient } from '../../src/client/program.ts'
import { serverUsages } from '../../src/config/command-line.ts'
import { realFiles } from '../../src/durable/file-system.ts'
import type { WholeServer } from './whole-server.ts'

const adminToken = 'the-admin-token-of-the-tests'

/** Runs a command against a server, and keeps what it prints. */
export function commandLine(server: WholeServer, sources: Partial<CredentialSources> = {}) {
  const { host, port } = server.app.api
  const url = `http://${host}:${port}`
  return async (
    /** Words in quotes are one argument. */
    words: string | readonly string[],
    given: {
      files?: Record<string, string>
      answer?: boolean
      edit?: (text: string) => string
      isTerminal?: boolean
    } = {},
  ) => {
    let printed = ''
    let errors = ''
    const { files = {}, answer = false, edit = text => text, isTerminal = false } = given
    const readText = async (path: string) => {
      const text = files[path]
      if (text === undefined) throw new ClientError(`${path} cannot be read`)
      return text
    }
    const argv = typeof words === 'string' ? argumentsOf(words) : words
    const exitCode = await runClient(argv, {
      program: 'zonewright',
      serverHelp: 'of the server\n',
      serverUsages,
      environment: {},
      readFile: path => files[path],
      ownServer: () => ({ url, token: adminToken }),
      ...sources,
      terminal: {
        write: text => {
          printed += text
        },
        writeError: text => {
          errors += text
        },
        isTerminal,
      },
      confirm: async () => answer,
      pause: async () => undefined,
      edit: async text => edit(text),
      readText,
      filesLike: pattern =>
        Object.keys(files)
          .filter(path => matchesGlob(path, pattern))
          .sort(),
      saveBackup: (path, archive) => saveArchive(realFiles, path, archive),
    })
    return { exitCode, printed, errors }
  }
}

function argumentsOf(words: string): readonly string[] {
  return [...words.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
}
