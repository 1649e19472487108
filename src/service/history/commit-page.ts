import type { ZoneCommit } from '../../store/store.ts'

/** The requested part of a list of commits, newest first. */
export type CommitRange = {
  readonly limit: number
  /** Only what is older than this commit. */
  readonly beforeLsn: number | undefined
  readonly beginMicros: number
  /** Not included. */
  readonly endMicros: number
}

export type CommitPage<E> = {
  readonly entries: readonly E[]
  /** `beforeLsn` of the next page; undefined where there is none. */
  readonly nextLsn: number | undefined
}

/** Octets and commits that are read for one page. */
export const maxPageOctets = 16 * 1024 * 1024
export const maxPageCommits = 2_000
/** Commits that are read in one go. */
export const batchCommits = 100

/** A page of the given commits, newest first: as many as its bounds allow to be read.
 *  @param wantedOf returns the wanted entries of a batch, in its order */
export async function commitPage<E extends { readonly lsn: number }>(
  commits: AsyncIterable<ZoneCommit>,
  request: CommitRange & { octetsOf(commit: ZoneCommit): number },
  wantedOf: (batch: readonly ZoneCommit[]) => Promise<readonly E[]>,
): Promise<CommitPage<E>> {
  const entries: E[] = []
  let octetsLeft = maxPageOctets
  let commitsLeft = maxPageCommits
  let batch: ZoneCommit[] = []
  let previousLsn = 0
  const take = async (): Promise<number | undefined> => {
    for (const entry of await wantedOf(batch)) {
      if (entries.length === request.limit) return entries.at(-1)?.lsn
      entries.push(entry)
    }
    batch = []
    return undefined
  }
  for await (const commit of commits) {
    if (commit.atMicros < request.beginMicros) break
    if (!isBefore(commit, request) || commit.lsn === previousLsn) continue
    previousLsn = commit.lsn
    const readOctets = request.octetsOf(commit)
    const isSpent = octetsLeft < readOctets || commitsLeft === 0
    if (isSpent || batch.length === Math.min(batchCommits, 2 * request.limit)) {
      const last = await take()
      if (last !== undefined) return { entries, nextLsn: last }
      if (isSpent) return { entries, nextLsn: commit.lsn + 1 }
    }
    octetsLeft -= readOctets
    commitsLeft -= 1
    batch.push(commit)
  }
  return { entries, nextLsn: await take() }
}

function isBefore(commit: ZoneCommit, { beforeLsn, endMicros }: CommitRange): boolean {
  return commit.lsn < (beforeLsn ?? Number.POSITIVE_INFINITY) && commit.atMicros < endMicros
}
