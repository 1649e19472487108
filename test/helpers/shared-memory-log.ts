import type { CommitLog } from '../../src/store/committer.ts'
import { type Commit, StoreUnavailableError } from '../../src/store/store.ts'

/** One participant's end of a log: its position, and the receiver of further commits. */
type End = { readonly take: (commits: readonly Commit[]) => void; lsn: number }

/** A log in memory that several participants append to in turns. */
export class SharedMemoryLog {
  readonly #ends: End[] = []
  readonly #commits: Commit[] = []
  #turn: Promise<void> = Promise.resolve()
  /** Refuses the next append. */
  refusesNext = false

  /** Returns the log as one participant sees it. */
  end(): CommitLog {
    let endTurn: () => void = () => undefined
    let own: End | undefined
    return {
      begin: async () => {
        const before = this.#turn
        const turn = Promise.withResolvers<void>()
        this.#turn = before.then(() => turn.promise)
        await before
        endTurn = turn.resolve
        if (own !== undefined) this.#give(own)
      },
      append: async commits => {
        const { refusesNext } = this
        this.refusesNext = false
        if (!refusesNext) {
          this.#commits.push(...commits)
          if (own !== undefined) own.lsn = this.#commits.length
        }
        endTurn()
        if (refusesNext) throw new StoreUnavailableError('not taken')
        for (const other of this.#ends) if (other !== own) queueMicrotask(() => this.#give(other))
      },
      end: async () => endTurn(),
      follow: take => {
        own = { take, lsn: 0 }
        this.#ends.push(own)
      },
    }
  }

  #give(end: End): void {
    const commits = this.#commits.slice(end.lsn)
    end.lsn = this.#commits.length
    if (commits.length > 0) end.take(commits)
  }
}
