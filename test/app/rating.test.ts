import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openRating } from '../../src/app/rating.ts'
import { fakeClock } from '../helpers/clock.ts'
import { configWith } from '../helpers/config.ts'
import { memoryLog, silentLogger } from '../helpers/log.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'
import { scopeState } from '../helpers/scope-states.ts'
import { at, storedTexts, usage } from '../helpers/usage.ts'

function partsIn(dataDir: string) {
  const clock = fakeClock()
  const store = openMemoryStore({ clock })
  return {
    config: configWith({ dataDir }),
    store,
    clock,
    logger: silentLogger,
  }
}

t.test('points are there again at the next start, but for those of a reset', async t => {
  const parts = partsIn(t.testdir())
  const first = await openRating(parts)
  for (const project of ['p1', 'p2'])
    await first.points.write({ origin: 'dns', points: [usage('2026-11-01T00', project, '1')] })
  await first.close()
  const resumeFrom = at('2026-11-01')
  await parts.store.commit(tx => tx.put('scopeStates', scopeState('p1', { resumeFrom })))
  const second = await openRating(parts)
  t.equal((await storedTexts(second.points)).length, 1)
  await second.close()
})

t.test('folders of usage that are gone are reported, once there was any', async t => {
  const log = memoryLog('error')
  const parts = { ...partsIn(t.testdir()), logger: log.logger }
  const reported = async () => {
    const rating = await openRating(parts)
    await rating.close()
    return log.lines().map(({ folder }) => folder.slice(parts.config.dataDir.length))
  }
  t.same(await reported(), [])
  const lastProcessed = at('2026-11-01')
  await parts.store.commit(tx => tx.put('scopeStates', scopeState('p1', { lastProcessed })))
  t.same(await reported(), ['/usage/hours/journal', '/usage/journal'])
  await rm(join(parts.config.dataDir, 'rating'), { recursive: true })
  t.ok((await reported()).includes('/rating/journal'))
})

t.test('damaged files stop the start, with the file and what to do', async t => {
  const dataDir = t.testdir()
  await mkdir(join(dataDir, 'rating'))
  await writeFile(join(dataDir, 'rating', 'manifest.json'), 'not what was written')
  await t.rejects(openRating(partsIn(dataDir)), {
    name: 'DamageError',
    message: /manifest\.json.*Restore the data directory from a backup, or give up .*store repair$/,
  })
})
