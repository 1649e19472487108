import type { Dice } from './dice.ts'

// Random zones as zone files that every server takes: wildcards, empty non-terminals, aliases, DNAMEs, cuts with DS and without.

export type SignableZone = {
  readonly apex: string
  readonly text: string
  /** Names to query: at, below, beside and between the existing ones. */
  readonly questions: readonly string[]
}

const labels = ['a', 'b', 'c', 'd', 'mx', 'www']
const questionsPerZone = 3

/** @param apex absolute */
export function randomSignable(dice: Dice, apex: string): SignableZone {
  const lines = [
    `$ORIGIN ${apex}`,
    '$TTL 300',
    '@ SOA ns1.example.net. ops.example.net. 1 7200 900 1209600 300',
    '@ NS ns1.example.net.',
  ]
  const owners: string[] = []
  /** Names with no data of this zone below them. */
  const closed: string[] = []
  for (let left = 3 + dice.below(7); left > 0; left -= 1) {
    const owner = randomOwner(dice)
    const isBelowClosed = closed.some(name => owner.endsWith(`.${name}`))
    if (owners.includes(owner) || isBelowClosed) continue
    const canClose = !owner.startsWith('*') && !owners.some(name => name.endsWith(`.${owner}`))
    const kind = dice.pick(canClose ? allKinds : openKinds)
    owners.push(owner)
    if (kind === 'cut' || kind === 'secure cut' || kind === 'dname') closed.push(owner)
    lines.push(...linesOf(owner, kind, dice))
  }
  const asked = Array.from({ length: questionsPerZone }, () => randomQuestion(dice, owners))
  return { apex, text: `${lines.join('\n')}\n`, questions: asked.map(name => `${name}${apex}`) }
}

const openKinds = ['address', 'address', 'text', 'alias'] as const
const allKinds = [...openKinds, 'cut', 'secure cut', 'dname'] as const

function linesOf(owner: string, kind: (typeof allKinds)[number], dice: Dice): string[] {
  switch (kind) {
    case 'address':
      return [`${owner} A 192.0.2.${dice.below(256)}`, `${owner} MX 10 www`]
    case 'text':
      return [`${owner} TXT "t${dice.below(9)}"`]
    case 'alias':
      return [`${owner} CNAME ${dice.pick([...labels, 'x.a', 'no'])}`]
    case 'cut':
      return [`${owner} NS ns.${owner}`, `ns.${owner} A 192.0.2.9`]
    case 'secure cut':
      return [
        `${owner} NS ns.${owner}`,
        `ns.${owner} A 192.0.2.9`,
        `${owner} DS 1 13 2 ${'0'.repeat(63)}1`,
      ]
    case 'dname':
      return [`${owner} DNAME ${dice.pick(labels)}`]
  }
}

function randomOwner(dice: Dice): string {
  const depth = dice.pick([1, 1, 1, 2, 2, 3])
  const names = Array.from({ length: depth }, () => dice.pick(labels))
  return dice.below(5) === 0 ? ['*', ...names.slice(1)].join('.') : names.join('.')
}

/** Relative, with a dot behind it unless it is the apex. */
function randomQuestion(dice: Dice, owners: readonly string[]): string {
  if (owners.length === 0 || dice.below(12) === 0) return ''
  const owner = dice.pick(owners)
  const labelsOfOwner = owner.split('.')
  const name = dice.pick([
    owner,
    owner,
    `q.${owner}`,
    `q.r.${owner}`,
    ['q', ...labelsOfOwner.slice(1)].join('.'),
    labelsOfOwner.slice(1).join('.'),
    dice.pick(labels),
  ])
  return name === '' ? '' : `${name}.`
}
