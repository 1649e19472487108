import type { Command } from 'commander'
import { ClientError, exitCodes, wholeNumber } from './client-error.ts'
import type { Context } from './context.ts'
import type { Output } from './output.ts'
import { queryOf } from './session.ts'
import { zonePath } from './zone-names.ts'

type Actor = {
  readonly road: string
  readonly user_name: string | null
  readonly application_credential?: { readonly name: string }
  readonly tsig_key?: string
  readonly job?: string
}

type Entry = {
  readonly id: number
  readonly created_at: string
  readonly actor: Actor | null
  readonly action: string
  readonly serial: number | null
  readonly diff: readonly string[] | null
}

/** `history`, `diff` and `undo`. */
export function addHistoryCommands(program: Command, { server, output, confirm }: Context): void {
  program
    .command('history <zone>')
    .description('show who changed what, newest first')
    .option('--actor <pattern>', 'only of users, keys or roads like this; * stands for anything')
    .option('--name <pattern>', 'only of recordsets with names like this')
    .option('--begin <time>')
    .option('--end <time>')
    .option('--limit <count>', 'so many changes', '20')
    .action(async (zone, options) => {
      const page = await server.get(`${zonePath(zone)}/history?${new URLSearchParams(options)}`)
      if (program.opts().json) output().object(page)
      else for (const entry of page.history as readonly Entry[]) print(output(), entry)
    })
  program
    .command('diff <zone> <from> [to]')
    .description('show what has changed since a serial or a time, or between two')
    .action(async (zone, from, to) => {
      const path = `${zonePath(zone)}/history/difference?${queryOf({ from, to })}`
      const lines = (await server.text('GET', path)).split('\n').slice(0, -1)
      if (program.opts().json) output().object({ diff: lines })
      else output().difference(lines.map(signed))
    })
  program
    .command('undo <zone>')
    .description('undo one change, or all after a serial')
    .option('--change <id>', 'the id of the change, as the history shows it', wholeNumber)
    .option('--serial <serial>', 'the serial after which everything is undone', wholeNumber)
    .option('--dry-run', 'only show what would change')
    .option('-y, --yes', 'without asking')
    .action(async (zone, { change, serial, dryRun, yes }) => {
      if ((change === undefined) === (serial === undefined))
        throw new ClientError('say either --change or --serial', exitCodes.usage)
      const target = change === undefined ? { serial } : { change }
      const path = `${zonePath(zone)}/undo`
      const shown = await server.json('POST', path, { ...target, dry_run: true })
      const { json: isJson } = program.opts()
      if (isJson && dryRun) return output().object(shown)
      if (!isJson) output().difference((shown.diff as readonly string[]).map(signed))
      if (dryRun) return
      if (!yes && !(await confirm('Make these changes')))
        throw new ClientError('nothing was changed; --yes changes without asking')
      const done = await server.json('POST', path, target)
      output().done(`the serial is ${done.serial}`, { ...done, diff: shown.diff })
    })
}

function print(output: Output, { id, created_at, actor, action, serial, diff }: Entry): void {
  const who = actor === null ? 'unknown' : `${nameOf(actor)} by ${actor.road}`
  output.text(`${id}  ${created_at}  ${who}  ${action}  serial ${serial ?? 'none'}\n`)
  output.difference((diff ?? []).map(signed))
}

function signed(line: string) {
  return { sign: line.startsWith('-') ? '-' : '+', text: line.slice(1) } as const
}

/** The user, with the credential that was used; else the TSIG key, or the server's own job. */
function nameOf({ user_name, application_credential, tsig_key, job }: Actor): string {
  const name = user_name ?? tsig_key ?? job ?? 'nobody'
  return application_credential === undefined ? name : `${name} (${application_credential.name})`
}
