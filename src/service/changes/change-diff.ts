import type { Recordset } from '../../model/recordset.ts'
import { rrsetOf } from '../../model/recordset-rrset.ts'
import type { Zone } from '../../model/zone.ts'
import { recordLines } from '../../zone/zone-file/print.ts'
import type { ChangeSetOutcome } from './change-sets.ts'

/** The changes of a change set as lines of a zone file: removed lines begin with `-`, added ones with `+`. The SOA
 *  is left out. */
export function* diffLines(outcome: ChangeSetOutcome): Generator<string> {
  const { before, zone, created, replaced, deleted } = outcome
  for (const row of deleted) yield* signed('-', linesOf(row, before))
  for (const { before: old, after } of replaced) {
    const gone = linesOf(old, before)
    const come = linesOf(after, zone)
    yield* signed(
      '-',
      gone.filter(line => !come.includes(line)),
    )
    yield* signed(
      '+',
      come.filter(line => !gone.includes(line)),
    )
  }
  for (const row of created) yield* signed('+', linesOf(row, zone))
}

function* signed(sign: '-' | '+', lines: readonly string[]): Generator<string> {
  for (const line of lines) yield sign + line
}

function linesOf(row: Recordset, zone: Zone): readonly string[] {
  const { rrset } = rrsetOf(row, zone)
  return rrset === undefined ? [] : [...recordLines(rrset)]
}
