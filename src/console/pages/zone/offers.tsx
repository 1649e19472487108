import { listOffers, type Offer, offer, withdraw } from '../../api/zone-access.ts'
import type { Zone } from '../../api/zones.ts'
import { texts } from '../../texts.ts'
import { Card } from '../../ui/card.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Complaint, Field } from '../../ui/field.tsx'
import { useLoaded } from '../../ui/loaded.ts'
import { notifyFailure } from '../../ui/notices.tsx'
import { useForm } from '../../ui/submission.ts'

/** The form to offer a zone to another project. */
export function Offers({ zone }: { readonly zone: Zone }) {
  const offers = useLoaded(listOffers)
  const form = useForm({ target_project_id: '' }, async ({ target_project_id: project }) => {
    await offer(zone, project.trim())
    offers.reload()
  })
  const made = offers.value?.find(({ zone_id: id, key }) => id === zone.id && key !== undefined)
  return (
    <Card title={texts.access.transfer} explain={texts.access.transferExplain}>
      <Complaint text={offers.error} />
      {made !== undefined ? (
        <Made offer={made} onWithdraw={() => withdraw(made).then(offers.reload, notifyFailure)} />
      ) : (
        <form class="bar" onSubmit={form.onSubmit}>
          <Field
            label={texts.access.anyProject}
            {...form.field('target_project_id')}
            error={form.refusalOf('target_project_id') ?? form.rest}
          />
          <button type="submit" disabled={form.isBusy}>
            {texts.access.offer}
          </button>
        </form>
      )}
    </Card>
  )
}

type MadeProps = { readonly offer: Offer; readonly onWithdraw: () => void }

function Made({ offer: { id, key = '', target_project_id: target }, onWithdraw }: MadeProps) {
  return (
    <>
      <p>{target ? texts.access.offeredTo(target) : texts.access.offeredToAnyone}</p>
      <Copy label={texts.access.requestId} text={id} />
      <Copy label={texts.access.requestKey} text={key} />
      <div class="actions">
        <button type="button" class="danger" onClick={onWithdraw}>
          {texts.access.withdraw}
        </button>
      </div>
    </>
  )
}
