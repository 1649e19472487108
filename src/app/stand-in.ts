import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { realFiles } from '../durable/file-system.ts'
import type { Logger } from '../log.ts'
import { readTableFile, removeTableFile, UnsealedTableFile } from '../publish/table-file.ts'
import { storeStamp } from '../store/stamp.ts'
import type { Store } from '../store/store.ts'
import { FrozenTable } from '../zone/table/frozen-table.ts'
import type { Target } from '../zone/table/seats.ts'
import type { ZoneTable } from '../zone/table/zone-table.ts'
import type { AnsweredFrom, DnsListeners, ServedFrom } from './servers.ts'

// The composition root's part about the stand-in: what the last process answered from, which is answered from again
// until the store is loaded and its zones are published.

/** What is answered from meanwhile. */
type StandIn = { readonly table: FrozenTable; readonly zones: Target }

/** With less to load a start takes no time. */
const minOctets = 2 ** 20
/** A stop has several seconds in all, and other things to do. */
const maxMillis = 2_000
/** After longer a SECONDARY zone may have expired, and nobody waits for this server any more. */
const maxAgeMillis = 600_000

type StandInParts = {
  readonly config: Pick<Config, 'dataDir'>
  readonly clock: Clock
  readonly logger: Logger
}

/** Answers that are given before the store is loaded. */
export class EarlyAnswers {
  readonly dns: DnsListeners
  #standIn: StandIn | undefined

  private constructor(dns: DnsListeners, standIn: StandIn) {
    this.dns = dns
    this.#standIn = standIn
  }

  /** Answers as the last process did, if the store is still as it left it; undefined if it is not.
   *  @throws ListenError an address cannot be bound */
  static async begin(
    parts: StandInParts,
    listen: (from: AnsweredFrom) => Promise<DnsListeners>,
  ): Promise<EarlyAnswers | undefined> {
    const standIn = await findStandIn(parts)
    if (standIn === undefined) return undefined
    const early = new EarlyAnswers(await listen(standIn), standIn)
    parts.logger.info({ dns: early.dns.addresses }, 'answering as before the stop')
    return early
  }

  /** Answers from the zones of the store from now on, and lets the memory of the stand-in go. */
  async takeOver(served: ServedFrom): Promise<DnsListeners> {
    await this.dns.answerFrom(served)
    if (this.#standIn !== undefined) countStandIn(this.#standIn, served)
    this.#standIn = undefined
    return this.dns
  }
}

/** Finds what the last process answered from, if the store is still as it left it.
 *  Never throws: without a stand-in a start takes longer, and that is all. */
async function findStandIn({
  config: { dataDir },
  clock,
  logger,
}: StandInParts): Promise<StandIn | undefined> {
  try {
    const path = standInPath(dataDir)
    const present = await storeStamp({ files: realFiles, directory: dataDir })
    const now = clock.nowMillis()
    const found = await readTableFile(path, ({ stamp, atMillis }) => {
      const isRecent = atMillis <= now && now - atMillis <= maxAgeMillis
      return stamp === present && isRecent
    })
    // It is of no use any more, be it that it was of none.
    await removeTableFile(path)
    if (found === undefined) return undefined
    return { table: new FrozenTable(found.memory), zones: { ref: found.target } }
  } catch (err) {
    logger.warn({ err }, 'answers wait for the store: what was answered from last cannot be read')
    return undefined
  }
}

/** Has what a stand-in has answered counted as if it had been answered from the table that follows it. */
function countStandIn(standIn: StandIn, { table, zones }: ServedFrom): void {
  function* slots() {
    for (const { apex, slot: from } of standIn.table.slotsOf(standIn.zones)) {
      const to = zones.get(apex)?.slot
      if (to !== undefined) yield { from, to }
    }
  }
  table.seats.addCounts(standIn.table.seats, slots())
}

/** What is answered from, and the store that it is made of. */
type Served = { readonly store: Pick<Store, 'lastLsn'> } & {
  readonly table: Pick<ZoneTable, 'image'>
  readonly zones: Target
}

/** Keeps what this process answers from for the next one. */
export class StandInKeeper {
  readonly #parts: StandInParts
  #served: Served | undefined
  #kept: { readonly file: UnsealedTableFile; readonly lsn: number } | undefined

  constructor(parts: StandInParts) {
    this.#parts = parts
  }

  /** To be called when the start is over: of one that fails nothing is kept. */
  begin(served: Served): void {
    this.#served = served
  }

  /** To be called when nobody changes zones any more; queries may still be answered. Never rejects. */
  async keep(): Promise<void> {
    const served = this.#served
    if (served === undefined) return
    await this.#attempt(async () => {
      const path = standInPath(this.#parts.config.dataDir)
      await removeTableFile(path)
      const { image } = served.table
      if (image.length < minOctets) return
      const { lastLsn: lsn } = served.store
      this.#kept = { file: new UnsealedTableFile(path, image, { maxMillis }), lsn }
    })
  }

  /** To be called when the store is closed. Never rejects. */
  async seal(): Promise<void> {
    const [kept, served] = [this.#kept, this.#served]
    this.#kept = undefined
    if (kept === undefined || served === undefined) return
    await this.#attempt(async () => {
      const { config, clock } = this.#parts
      const stamp = await storeStamp({ files: realFiles, directory: config.dataDir })
      const hasChanged = served.store.lastLsn !== kept.lsn
      if (stamp === undefined || hasChanged) kept.file.discard()
      else kept.file.seal({ target: served.zones.ref, stamp, atMillis: clock.nowMillis() })
    })
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (err) {
      const text = 'the next start will answer only once it has loaded all zones'
      this.#parts.logger.warn({ err }, text)
    }
  }
}

function standInPath(dataDir: string): string {
  return join(dataDir, 'stand-in.table')
}
