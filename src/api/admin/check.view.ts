import { type Static, Type } from 'typebox'
import type { ConsistencyReport } from '../../service/consistency/consistency.ts'

const text = Type.Optional(Type.String())
const count = Type.Integer({ minimum: 0 })

/** The result of a check, for reading and writing: the command line program requests it from the server. */
export const checkViewSchema = Type.Object({
  is_consistent: Type.Boolean(),
  counts: Type.Object({
    zones: count,
    abandoned_zones: count,
    recordsets: count,
    rows: count,
    names: count,
    unsettled_zones: count,
  }),
  findings: Type.Array(
    Type.Object({
      kind: Type.String(),
      collection: text,
      id: text,
      zone: text,
      name: text,
      type: text,
      target: text,
      problem: Type.String(),
      remedy: Type.String(),
    }),
  ),
  /** The number of findings not listed. */
  omitted_findings: count,
})

export type CheckView = Static<typeof checkViewSchema>

export function checkView(report: ConsistencyReport): CheckView {
  const { findings, omittedCount } = report
  return {
    is_consistent: findings.length === 0,
    counts: {
      zones: report.zoneCount,
      abandoned_zones: report.abandonedCount,
      recordsets: report.recordsetCount,
      rows: report.rowCount,
      names: report.nameCount,
      unsettled_zones: report.unsettledCount,
    },
    findings: findings.map(({ id, ...finding }) =>
      id === undefined ? finding : { id, ...finding },
    ),
    omitted_findings: omittedCount,
  }
}
