import type { Command } from 'commander'
import { positiveNumber } from './client-error.ts'
import type { Context } from './context.ts'
import type { JsonObject } from './session.ts'
import { zonePath } from './zone-names.ts'

const refreshMs = 2_000

const tables = [
  ['zones', 'zone_name'],
  ['names', 'name', 'type'],
  ['clients', 'client'],
  ['types', 'type'],
  ['rcodes', 'rcode'],
] as const

/** `stats`: what was answered for a zone; `top`: the most frequent queries, refreshed repeatedly on a terminal. */
export function addQueryCommands(program: Command, { server, output, pause }: Context): void {
  program
    .command('stats <zone>')
    .description('show what was answered for a zone: by transport, rcode and type')
    .action(async (zone: string) => {
      const counted = await server.get(`${zonePath(zone)}/statistics`)
      const { zone_id: _, by_transport, by_rcode, by_type, ...sums } = counted
      output().object(counted, { ...sums, ...Object.assign({}, by_transport, by_rcode, by_type) })
    })
  program
    .command('top')
    .description('show the most queried zones, names, clients and types, until it is stopped')
    .option('--seconds <seconds>', 'of the last seconds, up to 300 (default: 60)')
    .option('--limit <count>', 'how many of each (default: 5)')
    .option(
      '--times <count>',
      'how often (default: once if the output is not a terminal)',
      positiveNumber,
    )
    .action(async ({ seconds = '60', limit = '5', times = output().isWatched ? Infinity : 1 }) => {
      const query = new URLSearchParams({ seconds, limit })
      for (let count = 1; ; count += 1) {
        const top = await server.get(`/v2/top?${query}`)
        output().screen(top, () => {
          output().text(`${top.queries} queries since ${top.since}`)
          for (const [field, ...columns] of tables) {
            output().text(`\n${field}`)
            output().rows(top[field] as readonly JsonObject[], ['queries', ...columns])
          }
        })
        if (count >= times) return
        await pause(refreshMs)
      }
    })
}
