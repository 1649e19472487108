import fc from 'fast-check'
import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { parseName } from '../../../src/dns/name.ts'
import { naiveNameCount } from '../naive-lookup.ts'
import { applyToList, questionsPerZone, zoneStory } from '../random-zone.ts'
import { zoneFromText } from '../zone.ts'
import { changeZone, compareAnswers, contentsOf, sameOrThrow } from '../zone-comparison.ts'
import { compileZone } from './compile-zone.ts'

/** With `questionsPerZone` each, asked before and after the changes: 72,000 questions. */
const zoneCount = 300

t.test('any zone: the image answers as a walk over a flat list of its records', async t => {
  let askedCount = 0
  fc.assert(
    fc.property(zoneStory, story => {
      const image = compileZone(story.apex, story.rrsets)
      askedCount += compareAnswers(image, story.rrsets, story)
      changeZone(image, story)
      askedCount += compareAnswers(image, applyToList(story.rrsets, story.changes), story)
    }),
    { numRuns: zoneCount },
  )
  t.equal(askedCount, 2 * zoneCount * questionsPerZone)
  t.ok(askedCount > 10_000)
})

t.test('any zone: changed step by step it is the zone compiled at once', async t => {
  const property = fc.property(zoneStory, story => {
    const changed = compileZone(story.apex, story.rrsets)
    changeZone(changed, story)
    const rrsets = applyToList(story.rrsets, story.changes)
    const compiled = compileZone(story.apex, rrsets)
    sameOrThrow('names', changed.nodeCount, naiveNameCount(rrsets, story.apex))
    sameOrThrow('names', changed.nodeCount, compiled.nodeCount)
    sameOrThrow('RRsets', changed.rrsetCount, rrsets.length)
    sameOrThrow('contents', contentsOf(changed.rrsets()), contentsOf(compiled.rrsets()))
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: zoneCount }))
})

t.test('any zone: emptied again, only the apex is left', async t => {
  const property = fc.property(zoneStory, ({ apex, rrsets }) => {
    const image = compileZone(apex, rrsets)
    for (const { owner, type } of rrsets) if (type !== types.SOA) image.removeRrset(owner, type)
    sameOrThrow('names', image.nodeCount, 1)
    sameOrThrow('RRsets', image.rrsetCount, 1)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: zoneCount }))
})

t.test('a name outside the zone is a defect of the caller', async t => {
  const zone = zoneFromText('example. 60 SOA ns1 hostmaster 1 2 3 4 5')
  t.throws(() => zone.lookup(parseName('elsewhere.test.'), types.A), { name: 'RangeError' })
  t.same(zone.findAddresses(parseName('elsewhere.test.')), [])
})
