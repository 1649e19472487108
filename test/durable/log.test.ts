import fc from 'fast-check'
import t from 'tap'
import { makeDurableDirectory } from '../../src/durable/directories.ts'
import { Log } from '../../src/durable/log.ts'
import { readLog } from '../../src/durable/log-recovery.ts'
import { listSegments, segmentAt } from '../../src/durable/log-segment.ts'
import { NoRoomError } from '../../src/durable/no-room.ts'
import { Dice } from '../helpers/dice.ts'
import { heldAsync } from '../helpers/held.ts'
import { SimulatedDisk, someLost } from '../helpers/simulated-disk.ts'

const directory = '/log'
const entry = (text: string | number) => Buffer.from(String(text))

async function open(files: SimulatedDisk, { after = 0, keptOctets = 0 } = {}) {
  await makeDurableDirectory(files, directory)
  const segments = await listSegments(files, directory)
  const entries: string[] = []
  const apply = (number: number, octets: Buffer) => void entries.push(`${number}:${octets}`)
  const found = await readLog(files, segments, { after, apply })
  return { log: new Log({ files, directory, segments, found, keptOctets }), found, entries }
}

const firstsIn = async (files: SimulatedDisk) =>
  (await listSegments(files, directory)).map(({ first }) => first)

t.test('entries are appended to the last segment until a rotation is due', async t => {
  const files = new SimulatedDisk()
  const { log } = await open(files)
  await log.append([entry('a'), entry('')])
  await log.append([entry('c')])
  log.rotate()
  log.rotate()
  await log.append([entry('d')])
  t.equal(log.lastNumber, 4)
  t.same(await firstsIn(files), [1, 4])
  t.same((await open(files)).entries, ['1:a', '2:', '3:c', '4:d'])
  t.same((await open(files, { after: 1 })).entries, ['2:', '3:c', '4:d'], 'also within a batch')
})

t.test('an append of some megabytes, which is made in small steps, is read as it was', async t => {
  const files = new SimulatedDisk()
  const { log } = await open(files)
  await log.append([entry('a')])
  const long = Array.from({ length: 300 }, (_, i) => `${i}`.repeat(10_000))
  await log.append(long.map(entry))
  await log.append([entry('z')])
  const { entries, found } = await open(files)
  t.same(
    entries,
    ['a', ...long, 'z'].map((text, i) => `${i + 1}:${text}`),
  )
  t.equal(found.break, undefined)
})

t.test('a segment that ends while it is captured is so without its room', async t => {
  const files = new SimulatedDisk()
  const { log } = await open(files)
  await log.append([entry('a')])
  const expected = log.capture()
  const captured: unknown[] = []
  files.before = ({ kind }) => {
    if (kind === 'truncate') captured.push(log.capture())
  }
  log.rotate()
  await log.append([entry('b')])
  t.match(expected, [{ octets: Number }])
  t.same(captured, [expected])
})

t.test('nothing is written, nor a file made, for no entries', async t => {
  const files = new SimulatedDisk()
  const { log } = await open(files)
  await log.append([])
  await log.close()
  t.same(files.paths, [])
})

t.test('octets are counted since the last rotation, those that were read with them', async t => {
  const files = new SimulatedDisk()
  const { log } = await open(files)
  await log.append([entry('a')])
  const octets = log.octetCount
  t.ok(octets > 1)
  const again = (await open(files)).log
  t.equal(again.octetCount, octets)
  await again.append([entry('b')])
  t.equal(again.octetCount, 2 * octets)
  again.rotate()
  t.equal(again.octetCount, 0)
  t.equal((await open(files, { after: 2 })).log.octetCount, 0)
})

t.test('segments are dropped once every entry of theirs is superfluous', async t => {
  const files = new SimulatedDisk()
  const { log } = await open(files)
  for (const first of [1, 3, 5]) {
    await log.append([entry(first), entry(first + 1)])
    log.rotate()
  }
  await log.dropThrough(1)
  t.same(await firstsIn(files), [1, 3, 5])
  await log.dropThrough(2)
  t.same(await firstsIn(files), [3, 5])
  await log.dropThrough(6)
  t.same(await firstsIn(files), [5], 'never the one that is written to')
})

t.test('an empty segment is gone on with even when a rotation is due', async t => {
  const files = new SimulatedDisk()
  await files.makeDirectory(directory)
  await (await files.create(segmentAt(directory, 5).path)).close()
  const { log } = await open(files, { after: 4 })
  log.rotate()
  await log.append([entry('e')])
  t.same(await firstsIn(files), [5])
  t.same((await open(files, { after: 4 })).entries, ['5:e'])
})

t.test('the newest of the superfluous segments are kept, by their size', async t => {
  const files = new SimulatedDisk()
  const { log } = await open(files, { keptOctets: 3_000 })
  for (const first of [1, 3, 5, 7, 9]) {
    await log.append([entry('x'.repeat(600)), entry('y'.repeat(600))])
    log.rotate()
    t.equal(log.lastNumber, first + 1)
  }
  await log.dropThrough(8)
  t.same(await firstsIn(files), [5, 7, 9])
  t.same(
    log.segments.map(({ first }) => first),
    [5, 7, 9],
  )
  await log.dropThrough(8)
  t.same(await firstsIn(files), [5, 7, 9], 'and again')
})

t.test('segments go the oldest first, each for good before the next', async t => {
  const files = new SimulatedDisk()
  const { log } = await open(files)
  for (const text of ['a', 'b', 'c']) {
    await log.append([entry(text)])
    log.rotate()
  }
  const done: string[] = []
  files.before = ({ kind, path }) => {
    done.push(`${kind} ${path}`)
  }
  await log.dropThrough(2)
  t.same(done, [
    `remove ${segmentAt(directory, 1).path}`,
    'syncDirectory /log',
    `remove ${segmentAt(directory, 2).path}`,
    'syncDirectory /log',
  ])
})

t.test('what there was no room for is not there, and may be tried again', async t => {
  const files = new SimulatedDisk()
  const { log } = await open(files)
  files.capacityOctets = 10
  await t.rejects(log.append([entry('a')]), NoRoomError)
  t.same(files.paths, [], 'not even a segment without a header')
  files.capacityOctets = Number.POSITIVE_INFINITY
  await log.append([entry('a')])
  files.capacityOctets = files.usedOctets + 10
  await t.rejects(log.append([entry('b')]), NoRoomError)
  t.same((await open(files.afterKill())).entries, ['1:a'])
  files.capacityOctets = Number.POSITIVE_INFINITY
  await log.append([entry('c')])
  t.same((await open(files)).entries, ['1:a', '2:c'])
})

t.test('after a failed sync a segment takes no more, and another may be begun', async t => {
  const files = new SimulatedDisk()
  const { log } = await open(files)
  await log.append([entry('a')])
  log.rotate()
  files.before = ({ kind }) => {
    if (kind === 'sync') throw new Error('no')
  }
  await t.rejects(log.append([entry('b')]), { name: 'SyncError' })
  files.before = () => undefined
  await log.append([entry('c')])
  files.before = ({ kind }) => {
    if (kind === 'sync') throw new Error('no')
  }
  await t.rejects(log.append([entry('d')]), { name: 'SyncError' })
  files.before = () => undefined
  await t.rejects(log.append([entry('d')]), { name: 'SyncError' }, 'though it would succeed now')
  log.rotate()
  await log.append([entry('e')])
  t.same(await firstsIn(files), [1, 2, 3])
})

/** What is done to a log, by numbers that the dice of the test give a meaning. */
type Step =
  | { readonly kind: 'append'; readonly lengths: readonly number[] }
  | { readonly kind: 'rotate' | 'reopen' | 'lose power' | 'fill up' }
  | { readonly kind: 'drop'; readonly share: number }

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('append' as const),
        lengths: fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 5 }),
      }),
    },
    fc.record({ kind: fc.constantFrom('rotate', 'reopen', 'lose power', 'fill up') }),
    fc.record({
      kind: fc.constant('drop' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  ),
  { maxLength: 30 },
) as never

/** A log, and what must be in it. */
class Tried {
  readonly #dice: Dice
  #files = new SimulatedDisk()
  #log!: Log
  readonly #expected: string[] = []
  #after = 0

  constructor(seed: number) {
    this.#dice = new Dice(seed)
  }

  /** Returns whether all is there, and nothing else but what was under way. */
  async reopens(): Promise<boolean> {
    const { log, found, entries } = await open(this.#files, { after: this.#after })
    const expected = this.#expected.slice(this.#after)
    const more = entries.splice(expected.length)
    this.#expected.push(...more)
    this.#log = log
    await log.settle()
    const isLost = more.every(text => text.endsWith(':lost'))
    return found.break?.isDamage !== true && isLost && entries.join() === expected.join()
  }

  async do(step: Step): Promise<boolean> {
    switch (step.kind) {
      case 'append': {
        const texts = step.lengths.map(length => 'some '.repeat(length))
        await this.#log.append(texts.map(entry))
        for (const text of texts) this.#expected.push(`${this.#expected.length + 1}:${text}`)
        return true
      }
      case 'drop':
        this.#after = Math.max(this.#after, Math.floor(step.share * this.#expected.length))
        await this.#log.dropThrough(this.#after)
        return true
      case 'rotate':
        this.#log.rotate()
        return true
      case 'fill up':
        return this.#isRefused()
      case 'lose power':
        await this.#losePower()
        return this.reopens()
      case 'reopen':
        return this.reopens()
    }
  }

  async #isRefused(): Promise<boolean> {
    this.#files.capacityOctets = this.#files.usedOctets + this.#dice.below(600)
    const text = 'x'.repeat(600)
    let refused: unknown
    // The log's file may have room for some.
    while (refused === undefined) {
      refused = await this.#log.append([entry(text)]).then(
        () => void this.#expected.push(`${this.#expected.length + 1}:${text}`),
        error => error,
      )
    }
    this.#files.capacityOctets = Number.POSITIVE_INFINITY
    return refused instanceof NoRoomError
  }

  /** In the middle of an append that nobody is told of. */
  async #losePower(): Promise<void> {
    this.#files.failsAt = this.#files.changeCount + 1 + this.#dice.below(4)
    await this.#log.append([entry('lost'), entry('lost')]).catch(() => undefined)
    this.#files = this.#files.after(someLost(this.#dice, 2))
  }
}

t.test('whatever is done and lost, what was acknowledged and is needed is there', async t => {
  await heldAsync(
    t,
    fc.asyncProperty(steps, fc.nat(), async (steps, seed) => {
      const tried = new Tried(seed)
      if (!(await tried.reopens())) return false
      for (const step of steps) if (!(await tried.do(step))) return false
      return tried.reopens()
    }),
    { numRuns: 300 },
  )
})
