import type { Recordset } from '../../model/recordset.ts'
import { rrsetOf } from '../../model/recordset-rrset.ts'
import type { Zone } from '../../model/zone.ts'
import { recordLines } from '../../zone/zone-file/print.ts'
import type { ChangeSetOutcome } from './change-sets.ts'

/** The changes of a change set as lines of a zone file: removed lines begin with `-`, added ones with `+`. The SOA
 *  is left out. */
export function* diffLines(outcome: ChangeSetOutcome): Generator<string> {
  const { before, zone, created, replaced, deleted } = outcome
  for (const row of deleted) yield* changedLines(linesOf(row, before), [])
  for (const pair of replaced)
    yield* changedLines(linesOf(pair.before, before), linesOf(pair.after, zone))
  for (const row of created) yield* changedLines([], linesOf(row, zone))
}

/** Of the lines before and after a change, those that are gone and those that have come. */
export function* changedLines(
  before: readonly string[],
  after: readonly string[],
): Generator<string> {
  for (const line of before) if (!after.includes(line)) yield `-${line}`
  for (const line of after) if (!before.includes(line)) yield `+${line}`
}

function linesOf(row: Recordset, zone: Zone): readonly string[] {
  const { rrset } = rrsetOf(row, zone)
  return rrset === undefined ? [] : [...recordLines(rrset)]
}
