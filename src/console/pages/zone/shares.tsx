import { listShares, share, unshare } from '../../api/zone-access.ts'
import type { Zone } from '../../api/zones.ts'
import { texts } from '../../texts.ts'
import { Card } from '../../ui/card.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Complaint, Field } from '../../ui/field.tsx'
import { useLoaded } from '../../ui/loaded.ts'
import { notifyFailure } from '../../ui/notices.tsx'
import { useForm } from '../../ui/submission.ts'

/** The projects that a zone is shared with. */
export function Shares({ zone }: { readonly zone: Zone }) {
  const shares = useLoaded(() => listShares(zone), [zone.id])
  const form = useForm({ target_project_id: '' }, async ({ target_project_id: project }) => {
    await share(zone, project.trim())
    form.type({ target_project_id: '' })
    shares.reload()
  })
  return (
    <Card title={texts.access.shares} explain={texts.access.sharesExplain}>
      <Complaint text={shares.error} />
      <form class="bar" onSubmit={form.onSubmit}>
        <Field
          label={texts.access.projectId}
          {...form.field('target_project_id')}
          isRequired
          error={form.refusalOf('target_project_id') ?? form.rest}
        />
        <button type="submit" disabled={form.isBusy}>
          {texts.access.share}
        </button>
      </form>
      <DataTable
        label={texts.access.shares}
        rows={shares.value}
        empty={<p class="faint">{texts.access.noShares}</p>}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.access.project, cell: row => <code>{row.target_project_id}</code> },
        ]}
        actions={row => [
          {
            text: texts.access.unshare,
            label: texts.access.unshareFrom(row.target_project_id),
            isDangerous: true,
            run: () => void unshare(zone, row).then(shares.reload, notifyFailure),
          },
        ]}
      />
    </Card>
  )
}
