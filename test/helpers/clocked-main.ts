import { readFileSync } from 'node:fs'
import { startApp } from '../../src/app/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { createLogger } from '../../src/log.ts'
import { cheapCost } from './cheap-cost.ts'
import { fakeClock } from './clock.ts'

// The whole server in a process of its own, with a clock that its parent turns: see `clocked-appliance.ts`.

/** A request of the parent. */
export type ClockedRequest =
  | { readonly kind: 'advance'; readonly millis: number }
  | { readonly kind: 'run'; readonly job: string }

/** A message to the parent: the server's address first, then the completion of each request. */
export type ClockedReply =
  | { readonly kind: 'ready'; readonly apiPort: number; readonly dnsPort: number }
  | { readonly kind: 'done' }

async function main(): Promise<void> {
  const clock = fakeClock(Number(process.argv[2]))
  const config = loadConfig({
    environment: process.env,
    argv: [],
    readFile: path => readFileSync(path, 'utf8'),
  })
  const logger = createLogger({ level: 'error' })
  const maxClockOffSeconds = Number(process.argv[3])
  const options = { config, clock, logger, passwordCost: cheapCost, maxClockOffSeconds }
  const app = await startApp(options)
  process.on('message', async (request: ClockedRequest) => {
    if (request.kind === 'advance') clock.advanceMillis(request.millis)
    else await app.runJob(request.job)
    say({ kind: 'done' })
  })
  process.once('disconnect', async () => {
    await app.close()
    process.exit(0)
  })
  say({ kind: 'ready', apiPort: app.api.port, dnsPort: app.dns[0]?.port ?? 0 })
}

function say(reply: ClockedReply): void {
  process.send?.(reply)
}

await main()
