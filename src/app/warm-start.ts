import {
  findTableSnapshot,
  type TableSnapshot,
  type TableSnapshotOptions,
} from '../publish/table-snapshots.ts'
import type { AnsweredFrom, DnsListeners, ServedFrom } from './servers.ts'

/** Answers from the last process's snapshot until the store is loaded and its zones are published. */
export class WarmStart {
  readonly dns: DnsListeners
  #snapshot: TableSnapshot | undefined

  private constructor(dns: DnsListeners, snapshot: TableSnapshot) {
    this.dns = dns
    this.#snapshot = snapshot
  }

  /** Undefined where there is no snapshot, or none of the store as it is.
   *  @throws ListenError an address cannot be bound */
  static async begin(
    options: TableSnapshotOptions,
    listen: (from: AnsweredFrom) => Promise<DnsListeners>,
  ): Promise<WarmStart | undefined> {
    const snapshot = await findTableSnapshot(options)
    if (snapshot === undefined) return undefined
    const start = new WarmStart(await listen(snapshot), snapshot)
    options.logger.info({ dns: start.dns.addresses }, 'answering as before the stop')
    return start
  }

  /** Answers from the zones of the store from now on, and lets the snapshot's memory go. */
  async takeOver(served: ServedFrom): Promise<DnsListeners> {
    await this.dns.answerFrom(served)
    if (this.#snapshot !== undefined) addCounts(this.#snapshot, served)
    this.#snapshot = undefined
    return this.dns
  }
}

/** Counts the snapshot's answers as answers of the table that follows it. */
function addCounts(snapshot: TableSnapshot, { table, zones }: ServedFrom): void {
  function* zoneNumbers() {
    for (const { apex, zoneNumber: from } of snapshot.table.zoneNumbers(snapshot.zones)) {
      const to = zones.get(apex)?.number
      if (to !== undefined) yield { from, to }
    }
  }
  table.readers.addCounts(snapshot.table.readers, zoneNumbers())
}
