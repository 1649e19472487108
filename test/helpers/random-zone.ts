import fc from 'fast-check'
import { types } from '../../src/dns/codes.ts'
import {
  labelsOf,
  lowerCaseName,
  type Name,
  nameFromLabels,
  parseName,
} from '../../src/dns/name.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'

// Random zones for comparing implementations of one lookup. A handful of labels, so that names meet: as
// owner and question, parent and child, wildcard and covered name. The data need not make sense.

/** A zone with the changes made to it and the questions put to it. */
export type ZoneStory = {
  readonly apex: Name
  /** One SOA at the apex and other RRsets, each owner and type once. */
  readonly rrsets: readonly OwnedRrset[]
  readonly changes: readonly ZoneChange[]
  /** Lower-case, at or below the apex. */
  readonly questions: readonly { readonly qname: Name; readonly qtype: number }[]
}

export type ZoneChange =
  | { readonly kind: 'put'; readonly rrset: OwnedRrset }
  | { readonly kind: 'remove'; readonly owner: Name; readonly type: number }

export const questionsPerZone = 120

const label = fc.constantFrom('a', 'b', 'c', 'A', '*', 'a\x01b')
const relativeLabels = fc.array(label, { maxLength: 4 })

const dataType = fc.constantFrom(
  types.A,
  types.A,
  types.AAAA,
  types.TXT,
  types.NS,
  types.CNAME,
  types.DNAME,
  types.DS,
  types.MX,
)

const questionType = fc.constantFrom(
  types.A,
  types.AAAA,
  types.TXT,
  types.NS,
  types.CNAME,
  types.DNAME,
  types.DS,
  types.SOA,
  types.ANY,
)

/** Generates zones at three depths, the root among them. */
export const zoneStory: fc.Arbitrary<ZoneStory> = fc
  .constantFrom('.', 'a.', 'b.a.')
  .chain(text => storyOf(parseName(text)))

function storyOf(apex: Name): fc.Arbitrary<ZoneStory> {
  const question = fc.record({ qname: nameBelow(apex).map(lowerCaseName), qtype: questionType })
  return contentsOf(apex).chain(rrsets =>
    fc.record({
      apex: fc.constant(apex),
      rrsets: fc.constant(rrsets),
      changes: fc.array(changeOf(apex, rrsets), { maxLength: 25 }),
      questions: fc.array(question, {
        minLength: questionsPerZone,
        maxLength: questionsPerZone,
      }),
    }),
  )
}

function keyOf({ owner, type }: { owner: Name; type: number }): string {
  return `${labelsOf(lowerCaseName(owner)).join('/')} ${type}`
}

function contentsOf(apex: Name): fc.Arbitrary<OwnedRrset[]> {
  return fc
    .tuple(soaOf(apex), fc.array(rrsetBelow(apex), { maxLength: 25 }))
    .map(([soa, rrsets]) => [
      ...new Map([soa, ...rrsets].map(rrset => [keyOf(rrset), rrset])).values(),
    ])
}

function nameBelow(apex: Name): fc.Arbitrary<Name> {
  return relativeLabels.map(labels => nameFromLabels(labels, apex))
}

function rrsetBelow(apex: Name): fc.Arbitrary<OwnedRrset> {
  return fc.record({
    owner: nameBelow(apex),
    type: dataType,
    ttlSeconds: fc.nat(9),
    rdatas: fc.array(fc.uint8Array({ minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
  })
}

function soaOf(apex: Name): fc.Arbitrary<OwnedRrset> {
  return fc.record({
    owner: fc.constant(apex),
    type: fc.constant(types.SOA),
    ttlSeconds: fc.nat(9),
    rdatas: fc.nat(9).map(minimum => [soaRdata(minimum)]),
  })
}

function soaRdata(minimum: number): Uint8Array {
  const rdata = new Uint8Array(22)
  rdata[21] = minimum
  return rdata
}

/** Half of the changes undo something that exists; otherwise names would hardly ever disappear. */
function changeOf(apex: Name, rrsets: readonly OwnedRrset[]): fc.Arbitrary<ZoneChange> {
  const removable = rrsets.filter(({ type }) => type !== types.SOA)
  const undo = removable.map(({ owner, type }) => ({ kind: 'remove' as const, owner, type }))
  const put = fc.record({ kind: fc.constant('put' as const), rrset: rrsetBelow(apex) })
  const putSoa = fc.record({ kind: fc.constant('put' as const), rrset: soaOf(apex) })
  const remove = fc.record({
    kind: fc.constant('remove' as const),
    owner: nameBelow(apex),
    type: dataType,
  })
  if (undo.length === 0) return fc.oneof(put, putSoa, remove)
  const undoOne = fc.constantFrom(...undo)
  return fc.oneof(put, putSoa, remove, undoOne, undoOne, undoOne)
}
