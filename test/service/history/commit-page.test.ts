import t from 'tap'
import { commitPage } from '../../../src/service/history/commit-page.ts'
import type { ZoneCommit } from '../../../src/store/store.ts'

const mebibyte = 1024 * 1024

/** Commits from this one down to the first. */
async function* commitsFrom(lsn: number): AsyncGenerator<ZoneCommit> {
  for (let at = lsn; at > 0; at -= 1)
    yield {
      ...{ lsn: at, atMicros: 1000 * at, octetCount: mebibyte, serial: undefined },
      place: { segment: 1, at },
    }
}

/** Reads a page in which nothing is wanted; resolves with how many commits were read for it. */
async function searched(octetsOf: (commit: ZoneCommit) => number) {
  let readCount = 0
  const range = { limit: 10, beforeLsn: undefined, beginMicros: 0, endMicros: Infinity }
  const page = await commitPage(commitsFrom(5000), { ...range, octetsOf }, async batch => {
    readCount += batch.length
    return []
  })
  return { readCount, ...page }
}

t.test('a search reads 2,000 commits, and goes on in the next page', async t => {
  const found = await searched(() => 0)
  t.same(found, { readCount: 2000, entries: [], nextLsn: 3001 })
})

t.test('or 16 MiB of them', async t => {
  const found = await searched(({ octetCount }) => octetCount)
  t.same(found, { readCount: 16, entries: [], nextLsn: 4985 })
})
