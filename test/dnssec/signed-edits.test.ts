import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { lowerCaseName, parseName } from '../../src/dns/name.ts'
import { newPrivateKey, ZoneKey } from '../../src/dnssec/key.ts'
import { recordsOf } from '../../src/dnssec/key-goals.ts'
import { omnipresent } from '../../src/dnssec/presence.ts'
import { signedEdits } from '../../src/dnssec/signed-edits.ts'
import { termsOf } from '../../src/dnssec/signing-terms.ts'
import { type Edit, StagedEdits } from '../../src/zone/edits.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
import type { TableZone } from '../../src/zone/table/table-zone.ts'
import { Dice } from '../helpers/dice.ts'
import { randomRrset, randomSoa } from '../helpers/random-zones.ts'
import { requireSigned } from '../helpers/verify-zone.ts'
import { createZone, openTable } from '../helpers/zone-table.ts'

const apex = 'example.'
const key = new ZoneKey(newPrivateKey())
const records = recordsOf('CSK', omnipresent)
const terms = termsOf([{ ...records, algorithm: key.algorithm, key }], {
  apex: parseName(apex),
  digests: [2],
  nowSeconds: 0,
})
const daySeconds = 86_400

function apply(zone: TableZone, edits: readonly Edit[], { nowSeconds = 1000, isAll = false } = {}) {
  const staged = new StagedEdits(zone, 'small')
  const names = isAll ? [...zone.names()] : []
  let count = 0
  for (const edit of signedEdits(zone, edits, { ...terms, nowSeconds }, names)) {
    if (edit === undefined) continue
    staged.put(edit)
    count += 1
  }
  for (const { owner, edits: ofName, part } of staged.inOrder())
    zone.changeName(owner, ofName, part)
  return count
}

/** What other rules keep out of zones: anything below a DNAME, DS at the apex. */
function randomEdits(dice: Dice, contents: Map<string, OwnedRrset>): Edit[] {
  const edits: Edit[] = []
  for (let left = 1 + dice.below(6); left > 0; left -= 1) {
    const known = [...contents.values()]
    const isRemoval = known.length > 0 && dice.below(3) === 0
    const rrset = isRemoval ? dice.pick(known) : randomRrset(dice, apex)
    const { owner, type } = rrset
    if (type === types.SOA) continue
    const id = `${lowerCaseName(owner)} ${type}`
    edits.push({ recordsetId: id, owner, type, rrset: isRemoval ? undefined : rrset })
    if (isRemoval) contents.delete(id)
    else contents.set(id, rrset)
  }
  return edits
}

t.test('a zone is signed as it would be at once, after any changes', async t => {
  let checks = 0
  for (let seed = 1; seed <= 8; seed += 1) {
    const dice = new Dice(seed)
    const contents = new Map<string, OwnedRrset>()
    const verified = new Set<string>()
    const soa = randomSoa(dice, apex)
    const zone = createZone(openTable({ reserveOctets: 2 ** 24 }), [soa])
    for (const { rrset } of randomEdits(dice, contents))
      if (rrset) zone.putRrset(rrset.owner, rrset)
    apply(zone, [], { isAll: true })
    requireSigned([...zone.rrsets()], 1000, verified)
    for (let round = 0; round < 25; round += 1) {
      const edits = randomEdits(dice, contents)
      const next = dice.below(3) === 0 ? randomSoa(dice, apex) : soa
      const serial = { recordsetId: 'soa', owner: soa.owner, type: types.SOA, rrset: next }
      apply(zone, [...edits, serial])
      requireSigned([...zone.rrsets()], 1000, verified)
      checks += 1
    }
  }
  t.equal(checks, 200)
})

t.test('nothing is signed anew but what has changed, or ends soon', async t => {
  const dice = new Dice(1)
  const soa = randomSoa(dice, apex)
  const zone = createZone(openTable(), [soa])
  t.equal(apply(zone, [], { isAll: true }), 3, 'DNSKEY, NSEC and RRSIG of the apex')
  t.equal(apply(zone, [], { isAll: true }), 0)
  t.equal(apply(zone, [], { isAll: true, nowSeconds: 1000 + 7 * daySeconds }), 0)
  t.equal(apply(zone, [], { isAll: true, nowSeconds: 1000 + 200_000 * daySeconds }), 1)
})
