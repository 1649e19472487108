import fc from 'fast-check'
import type { Test } from 'tap'
import { everything } from '../../src/store/indexes.ts'
import { type Commit, type Store, StoreUnavailableError } from '../../src/store/store.ts'
import { uuidOf, zoneRow } from './store-rows.ts'
import { until } from './until.ts'

/** Stores over one log of commits. */
export type StoresOfLog = { readonly stores: readonly Store[]; close(): Promise<void> }

/** A change asked for at one of the stores: it adds a zone, or counts one up, or is refused. */
type Step = { readonly at: number; readonly zone: number; readonly isRefused: boolean }

const stepArbitrary = (storeCount: number): fc.Arbitrary<Step> =>
  fc.record({
    at: fc.nat({ max: storeCount - 1 }),
    zone: fc.nat({ max: 3 }),
    isRefused: fc.boolean(),
  })

class Refused extends Error {}

/** Tests a log of commits against the contract of `CommitLog`, whatever its storage.
 *  @param open stores over an empty log; the seed is for other random choices */
export async function commitLogContract(
  t: Test,
  open: (seed: number) => Promise<StoresOfLog>,
  { storeCount, runs }: { readonly storeCount: number; readonly runs: number },
): Promise<void> {
  const property = fc.asyncProperty(
    fc.array(stepArbitrary(storeCount), { minLength: 1, maxLength: 24 }),
    fc.nat(),
    async (steps, seed) => {
      const { stores, close } = await open(seed)
      try {
        await checkSteps(t, stores, steps)
      } finally {
        await close()
      }
    },
  )
  await fc.assert(property, { numRuns: runs })
}

/** Asks for all changes at once. */
async function checkSteps(t: Test, stores: readonly Store[], steps: readonly Step[]) {
  const seen = stores.map(store => {
    const commits: Commit[] = []
    store.setCommitListener(commit => void commits.push(commit))
    return commits
  })
  const runCounts = steps.map(() => 0)
  const outcomes = await Promise.all(
    steps.map(({ at, zone, isRefused }, i) =>
      (stores[at] as Store)
        .commit(tx => {
          runCounts[i] = (runCounts[i] ?? 0) + 1
          const id = uuidOf(zone)
          const version = (tx.get('zones', id)?.version ?? 0) + 1
          tx.put('zones', zoneRow({ id, version, name: `zone${zone}.example.` }))
          if (isRefused) throw new Refused()
          return `${zone}/${version}`
        })
        .catch(error => {
          if (error instanceof Refused || error instanceof StoreUnavailableError) return error
          throw error
        }),
    ),
  )
  const made = outcomes.filter(outcome => typeof outcome === 'string')
  const count = made.length
  await Promise.all(stores.map(store => until(() => store.lastLsn === count)))
  t.equal(new Set(made).size, count, 'each change counts on from the one before it')
  const hadTurn = outcomes.map(outcome => !(outcome instanceof StoreUnavailableError))
  t.ok(
    runCounts.every((runCount, i) => runCount === 1 || (runCount === 0 && !hadTurn[i])),
    'each has run once, or had no turn',
  )
  const lsns = Array.from({ length: count }, (_, i) => i + 1)
  const text = (store: Store) =>
    [...store.list('zones', 'all', everything)].map(({ id, version }) => [id, version]).sort()
  for (const [i, store] of stores.entries()) {
    t.same(
      seen[i]?.map(({ lsn }) => lsn),
      lsns,
      'each commit is given out once, in order',
    )
    const told = seen[i]?.map(({ changes }) => changes.map(change => [change.id, change.after]))
    const toldFirst = seen[0]?.map(({ changes }) => changes.map(({ id, after }) => [id, after]))
    t.same(told, toldFirst, 'as everywhere')
    t.same(text(store), text(stores[0] as Store))
  }
}
