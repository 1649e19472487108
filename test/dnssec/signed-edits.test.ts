import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { lowerCaseName, type Name, parseName } from '../../src/dns/name.ts'
import { parseRdata } from '../../src/dns/rdata/index.ts'
import { type Denial, denials, nsec3Owner } from '../../src/dnssec/denial.ts'
import { newPrivateKey, signatureFields, ZoneKey } from '../../src/dnssec/key.ts'
import { recordsOf } from '../../src/dnssec/key-goals.ts'
import { isLasting } from '../../src/dnssec/policy.ts'
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
const termsWith = (denial: Denial) =>
  termsOf([{ ...records, algorithm: key.algorithm, key }], {
    apex: parseName(apex),
    digests: [2],
    denial,
    nowSeconds: 0,
  })
const daySeconds = 86_400

type Applying = { nowSeconds?: number; isAll?: boolean; denial?: Denial }

function apply(
  zone: TableZone,
  edits: readonly Edit[],
  { nowSeconds = 1000, isAll = false, denial = 'NSEC' }: Applying = {},
) {
  const staged = new StagedEdits(zone, 'small')
  const names = isAll ? [...zone.names(), ...zone.hashOwners()] : []
  let count = 0
  for (const edit of signedEdits(zone, edits, { ...termsWith(denial), nowSeconds }, { names })) {
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

const kinds = { NSEC: 'nsec', NSEC3: 'nsec3', NSEC3_OPT_OUT: 'opt-out' } as const

for (const denial of denials) {
  t.test(`with ${denial} a zone is signed as it would be at once, after any changes`, async t => {
    let checks = 0
    for (let seed = 1; seed <= 8; seed += 1) {
      const dice = new Dice(seed)
      const contents = new Map<string, OwnedRrset>()
      const verified = new Set<string>()
      const soa = randomSoa(dice, apex)
      const zone = createZone(openTable({ reserveOctets: 2 ** 24 }), [soa])
      const check = () => requireSigned([...zone.rrsets()], 1000, verified, kinds[denial])
      for (const { rrset } of randomEdits(dice, contents))
        if (rrset) zone.putRrset(rrset.owner, rrset)
      apply(zone, [], { isAll: true, denial })
      check()
      for (let round = 0; round < 25; round += 1) {
        const edits = randomEdits(dice, contents)
        const next = dice.below(3) === 0 ? randomSoa(dice, apex) : soa
        const serial = { recordsetId: 'soa', owner: soa.owner, type: types.SOA, rrset: next }
        // What it is signed with stays.
        apply(zone, [...edits, serial], { denial: dice.pick(denials) })
        check()
        checks += 1
      }
    }
    t.equal(checks, 200)
  })

  t.test(`with ${denial} nothing is signed anew but what has changed, or ends soon`, async t => {
    const soa = randomSoa(new Dice(1), apex)
    const zone = createZone(openTable(), [soa])
    // DNSKEY, link and RRSIG of the apex; with NSEC3 its parameters, and the RRSIG of the link are of another name.
    t.equal(apply(zone, [], { isAll: true, denial }), denial === 'NSEC' ? 3 : 5)
    t.equal(apply(zone, [], { isAll: true }), 0)
    t.equal(apply(zone, [], { isAll: true, nowSeconds: 1000 + 7 * daySeconds }), 0)
    const late = { isAll: true, nowSeconds: 1000 + 200_000 * daySeconds }
    t.equal(apply(zone, [], late), denial === 'NSEC' ? 1 : 2)
  })
}

t.test('signatures of a zone that secondaries never expire are good', async t => {
  const soa = randomSoa(new Dice(1), apex)
  const rdata = Buffer.from(soa.rdatas[0] ?? [])
  rdata.writeUInt32BE(0x7fff_ffff, rdata.length - 8)
  const zone = createZone(openTable(), [{ ...soa, rdatas: [new Uint8Array(rdata)] }])
  apply(zone, [], { isAll: true })
  t.doesNotThrow(() => requireSigned([...zone.rrsets()], 1000))
  t.equal(apply(zone, [], { isAll: true }), 0)
})

/** The names that edits change, in order. */
function stepsOf(zone: TableZone, edits: readonly Edit[]): Name[] {
  const staged = new StagedEdits(zone, 'small')
  for (const edit of signedEdits(zone, edits, { ...termsWith('NSEC3'), nowSeconds: 1000 }))
    if (edit !== undefined) staged.put(edit)
  const steps = [...staged.inOrder()]
  for (const { owner, edits: ofName, part } of steps) zone.changeName(owner, ofName, part)
  return steps.map(({ owner }) => lowerCaseName(owner))
}

t.test('an NSEC3 lists a type behind its coming and before its going', async t => {
  const zone = createZone(openTable(), [randomSoa(new Dice(1), apex)])
  const owner = parseName(`www.${apex}`)
  zone.putRrset(owner, { type: types.A, ttlSeconds: 60, rdatas: [new Uint8Array(4)] })
  apply(zone, [], { isAll: true, denial: 'NSEC3' })
  const hash = nsec3Owner(owner, parseName(apex))
  const txt = { owner, type: types.TXT, ttlSeconds: 60, rdatas: [new Uint8Array([1, 65])] }
  const edit = { recordsetId: 'txt', owner, type: types.TXT }
  t.same(stepsOf(zone, [{ ...edit, rrset: txt }]), [owner, hash])
  t.same(stepsOf(zone, [{ ...edit, rrset: undefined }]), [hash, owner])
})

t.test('a name comes right before its NSEC3, and goes right behind it', async t => {
  const zone = createZone(openTable(), [randomSoa(new Dice(1), apex)])
  const names = ['a', 'b', 'c'].map(label => parseName(`${label}.${apex}`))
  const address = { type: types.A, ttlSeconds: 60, rdatas: [new Uint8Array(4)] }
  apply(zone, [], { isAll: true, denial: 'NSEC3' })
  for (const isComing of [true, false]) {
    const edits = names.map(owner => {
      const rrset = isComing ? { owner, ...address } : undefined
      return { recordsetId: owner, owner, type: types.A, rrset }
    })
    const steps = stepsOf(zone, edits)
    for (const name of names) {
      const hash = nsec3Owner(name, parseName(apex))
      t.equal(steps.indexOf(hash) - steps.indexOf(name), isComing ? 1 : -1)
    }
  }
})

t.test('a commit that raises EXPIRE signs for as long as the new one asks', async t => {
  const soa = randomSoa(new Dice(1), apex)
  const zone = createZone(openTable(), [soa])
  apply(zone, [], { isAll: true })
  const { owner, type } = soa
  const expireSeconds = 60 * daySeconds
  const text = `ns.${apex} ops.${apex} 1 7200 900 ${expireSeconds} 300`
  const rrset = { ...soa, rdatas: [parseRdata(type, text)] }
  apply(zone, [{ recordsetId: 'soa', owner, type, rrset }])
  const { rdatas = [] } = zone.findRrset(owner, types.RRSIG) ?? {}
  const made = rdatas.map(signatureFields).filter(({ covered }) => covered === type)
  t.equal(made.length, 1)
  t.ok(made.every(signature => isLasting(signature, 1000, expireSeconds)))
})
