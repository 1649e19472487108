import { useState } from 'preact/hooks'
import {
  type CheckReport,
  checkStore,
  listServices,
  type Readiness,
  readBackup,
  readReadiness,
} from '../../api/server.ts'
import { texts } from '../../texts.ts'
import { Card } from '../../ui/card.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { saveFile } from '../../ui/download.ts'
import { Complaint } from '../../ui/field.tsx'
import { useLoaded } from '../../ui/loaded.ts'
import { useSubmission } from '../../ui/submission.ts'

/** The health of the server, and actions to verify it. */
export function Health() {
  const readiness = useLoaded(readReadiness)
  const services = useLoaded(listServices)
  return (
    <div class="scrolls fill">
      <div class="cards">
        <Complaint text={readiness.error ?? services.error} />
        {readiness.value !== undefined && <Ready {...readiness.value} />}
        <Card title={texts.server.services}>
          <DataTable
            label={texts.server.services}
            rows={services.value ?? []}
            keyOf={({ id }) => id}
            columns={[
              { title: texts.server.service, cell: row => row.service_name },
              {
                title: texts.zones.status,
                cell: ({ status }) => (
                  <span class={`status ${status === 'UP' ? 'good' : 'error'}`}>
                    {texts.server.states[status]}
                  </span>
                ),
              },
              { title: texts.server.detail, cell: ({ stats }) => detailOf(stats) },
            ]}
          />
        </Card>
        <Check />
        <Backup />
      </div>
    </div>
  )
}

function Ready({ status, reasons = [], read_only: isReadOnly, read_only_reason: why }: Readiness) {
  return (
    <Card title={texts.server.health}>
      {status === 'ready' ? (
        <p class="status good">{texts.server.ready}</p>
      ) : (
        <p class="status error">{[texts.server.notReady, ...reasons].join(': ')}</p>
      )}
      {isReadOnly && <p class="status error">{texts.server.readOnly(why ?? '')}</p>}
    </Card>
  )
}

/** Further information from a part. */
function detailOf(stats: Readonly<Record<string, unknown>>): string {
  return Object.entries(stats)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${[value].flat().join(' ')}`)
    .join(', ')
}

function Check() {
  const [report, setReport] = useState<CheckReport>()
  const { onSubmit, isBusy, rest } = useSubmission([], async () => setReport(await checkStore()))
  return (
    <Card
      title={texts.server.check}
      explain={texts.server.checkExplain}
      beside={
        <button type="button" disabled={isBusy} onClick={onSubmit}>
          {isBusy ? texts.server.checking : texts.server.checkNow}
        </button>
      }
    >
      <Complaint text={rest} />
      <div role="status">{report !== undefined && <Report {...report} />}</div>
    </Card>
  )
}

function Report({ is_consistent: isGood, counts, findings, omitted_findings: more }: CheckReport) {
  if (isGood) {
    return <p class="status good">{texts.server.consistent(counts.zones, counts.recordsets)}</p>
  }
  return (
    <>
      <DataTable
        label={texts.server.findings}
        rows={findings}
        keyOf={finding => JSON.stringify(finding)}
        columns={[
          {
            title: texts.zones.name,
            cell: ({ name, zone, type }) => [name ?? zone, type].join(' '),
          },
          { title: texts.server.problem, cell: ({ problem }) => problem },
          { title: texts.server.remedy, cell: ({ remedy }) => remedy },
        ]}
      />
      {more > 0 && <p>{texts.server.omitted(more)}</p>}
    </>
  )
}

function Backup() {
  const { onSubmit, isBusy, rest } = useSubmission([], async () => {
    saveFile('zonewright.tar', await readBackup())
  })
  return (
    <Card
      title={texts.server.backup}
      explain={texts.server.backupExplain}
      beside={
        <button type="button" disabled={isBusy} onClick={onSubmit}>
          {isBusy ? texts.server.backingUp : texts.server.backupNow}
        </button>
      }
    >
      <Complaint text={rest} />
    </Card>
  )
}
