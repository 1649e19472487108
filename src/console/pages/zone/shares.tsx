import { useCallback, useState } from 'preact/hooks'
import { listShares, share, unshare } from '../../api/zone-access.ts'
import type { Zone } from '../../api/zones.ts'
import { texts } from '../../texts.ts'
import { Card } from '../../ui/card.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Complaint, Field } from '../../ui/field.tsx'
import { useLoaded } from '../../ui/loaded.ts'
import { notifyFailure } from '../../ui/notices.tsx'
import { useSubmission } from '../../ui/submission.ts'

/** The projects that a zone is shared with. */
export function Shares({ zone }: { readonly zone: Zone }) {
  const shares = useLoaded(useCallback(() => listShares(zone), [zone.id]))
  const [project, setProject] = useState('')
  const submission = useSubmission(['target_project_id'], async () => {
    await share(zone, project.trim())
    setProject('')
    shares.reload()
  })
  const rows = shares.value ?? []
  return (
    <Card title={texts.access.shares} explain={texts.access.sharesExplain}>
      <Complaint text={shares.error} />
      <form class="bar" onSubmit={submission.onSubmit}>
        <Field
          label={texts.access.projectId}
          value={project}
          onInput={setProject}
          isRequired
          error={submission.refusalOf('target_project_id') ?? submission.rest}
        />
        <button type="submit" disabled={submission.isBusy}>
          {texts.access.share}
        </button>
      </form>
      {rows.length === 0 ? (
        <p class="faint">{texts.access.noShares}</p>
      ) : (
        <DataTable
          label={texts.access.shares}
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            { title: texts.access.project, cell: row => <code>{row.target_project_id}</code> },
          ]}
          actions={row => (
            <button
              type="button"
              class="quiet danger"
              aria-label={texts.access.unshareFrom(row.target_project_id)}
              onClick={() => unshare(zone, row).then(shares.reload, notifyFailure)}
            >
              {texts.access.unshare}
            </button>
          )}
        />
      )}
    </Card>
  )
}
