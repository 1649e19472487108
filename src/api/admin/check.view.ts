import type { Static } from 'typebox'
import type { ConsistencyReport } from '../../service/consistency/consistency.ts'
import type { checkAnswer } from './answers.ts'

export type CheckView = Static<typeof checkAnswer>

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
