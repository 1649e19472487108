import { types } from '../../src/dns/codes.ts'
import { type Name, parseName } from '../../src/dns/name.ts'
import { parseRdata } from '../../src/dns/rdata/index.ts'
import type { Denial } from '../../src/dnssec/denial.ts'
import { newPrivateKey, ZoneKey } from '../../src/dnssec/key.ts'
import { recordsOf } from '../../src/dnssec/key-goals.ts'
import { omnipresent } from '../../src/dnssec/presence.ts'
import { signedEdits } from '../../src/dnssec/signed-edits.ts'
import { type SigningTerms, termsOf } from '../../src/dnssec/signing-terms.ts'
import { type Edit, type NameEdits, StagedEdits } from '../../src/zone/edits.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
import type { TableZone } from '../../src/zone/table/table-zone.ts'
import type { ZoneTable } from '../../src/zone/table/zone-table.ts'
import type { Dice } from './dice.ts'
import { createZone } from './zone-table.ts'

export const signedApex = 'example.'
export const signedAtSeconds = 1_000_000

/** Names that appear, disappear and change kind; some have others below them. */
const names = ['a', 'b', 'x.b', 'y.x.b', 'w', '*.w', 'v.w', '*', 'e.f.g', 'h.f.g', 'z', 'm.z']
/** The kinds of a name. Aliases lead to `t`, which is not an alias. */
const kinds: readonly (readonly (readonly [type: keyof typeof types, rdata: string])[])[] = [
  [],
  [['A', '192.0.2.1']],
  [
    ['A', '192.0.2.2'],
    ['TXT', 't'],
  ],
  [['TXT', 'u']],
  [['MX', '5 t.example.']],
  [['CNAME', 't.example.']],
  [['NS', 'ns.elsewhere.invalid.']],
  [
    ['NS', 'ns.elsewhere.invalid.'],
    ['DS', `1 13 2 ${'0'.repeat(64)}`],
  ],
  [['DNAME', 't.example.']],
]

/** A zone that is signed and changed at random. */
export class ChangingSignedZone {
  readonly zone: TableZone
  readonly dnskey: Uint8Array
  readonly #dice: Dice
  readonly #terms: SigningTerms
  readonly #contents = new Map<string, OwnedRrset[]>()
  #serial = 1

  constructor(table: ZoneTable, dice: Dice, denial: Denial) {
    this.#dice = dice
    const key = new ZoneKey(newPrivateKey())
    this.dnskey = key.dnskey
    const own = { ...recordsOf('CSK', omnipresent), algorithm: key.algorithm, key }
    const apex = parseName(signedApex)
    this.#terms = termsOf([own], { apex, digests: [2], denial, nowSeconds: signedAtSeconds })
    this.zone = createZone(table, [this.#soa(), owned('t', 'A', '192.0.2.9')])
    for (const step of this.#steps([])) this.#make(step)
  }

  /** Changes the kinds of some names, atomically for readers. */
  change(): void {
    const edits: Edit[] = []
    for (let left = 1 + this.#dice.below(3); left > 0; left -= 1) {
      const name = this.#dice.pick(names)
      const before = this.#contents.get(name) ?? []
      const kind = this.#dice.pick(name.startsWith('*') ? kinds.slice(0, -3) : kinds)
      const after = kind.map(([type, rdata]) => owned(name, type, rdata))
      this.#contents.set(name, after)
      for (const { owner, type } of before) edits.push(editOf(owner, type, undefined))
      for (const rrset of after) edits.push(editOf(rrset.owner, rrset.type, rrset))
    }
    const soa = this.#soa()
    edits.push(editOf(soa.owner, soa.type, soa))
    const steps = [...this.#steps(edits)]
    this.zone.changeTogether(() => {
      for (const step of steps) this.#make(step)
    })
  }

  #steps(edits: readonly Edit[]): Iterable<NameEdits> {
    const staged = new StagedEdits(this.zone, 'small')
    const all = edits.length === 0 ? this.zone.names() : []
    for (const edit of signedEdits(this.zone, edits, this.#terms, { names: all })) {
      if (edit !== undefined) staged.put(edit)
    }
    return staged.inOrder()
  }

  #make({ owner, edits, part }: NameEdits): void {
    this.zone.changeName(owner, edits, part)
  }

  #soa(): OwnedRrset {
    this.#serial += 1
    return owned('@', 'SOA', `ns ops ${this.#serial} 7200 900 1209600 300`)
  }
}

function owned(name: string, type: keyof typeof types, rdata: string): OwnedRrset {
  const apex = parseName(signedApex)
  const owner: Name = name === '@' ? apex : parseName(name, apex)
  return {
    owner,
    type: types[type],
    ttlSeconds: 60,
    rdatas: [parseRdata(types[type], rdata, apex)],
  }
}

function editOf(owner: Name, type: number, rrset: OwnedRrset | undefined): Edit {
  return { recordsetId: `${owner} ${type}`, owner, type, rrset }
}

/** A question for one of its names, or for one near them. */
export function questionNear(dice: Dice): string {
  const name = dice.pick([...names, 't', 'f.g', 'no'])
  const below = dice.pick(['', '', '', 'q.', 'q.r.', '*.'])
  const apexOrName = dice.below(30) === 0 ? signedApex : `${below}${name}.${signedApex}`
  return `${apexOrName} ${dice.pick(['A', 'A', 'TXT', 'MX', 'NS', 'DS', 'DNSKEY', 'SOA'])}`
}
