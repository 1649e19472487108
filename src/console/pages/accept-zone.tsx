import { useLocation } from 'preact-iso'
import { accept, listOffers } from '../api/zone-access.ts'
import { texts } from '../texts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { notify } from '../ui/notices.tsx'
import { useForm } from '../ui/submission.ts'

/** The form to accept a zone that another project has offered. */
export function AcceptZone({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const offers = useLoaded(listOffers)
  const form = useForm({ zone_transfer_request_id: '', key: '' }, async typed => {
    const { zone_id: zoneId } = await accept(
      typed.zone_transfer_request_id.trim(),
      typed.key.trim(),
    )
    onClose()
    notify(texts.access.accepted)
    route(`/console/zones/${zoneId}`)
  })
  // The key of an offer is shown only to the project that made it.
  const offered = (offers.value ?? []).filter(one => one.key === undefined)
  return (
    <Dialog title={texts.access.accept} onClose={onClose}>
      <p>{texts.access.acceptExplain}</p>
      <Form {...form} submit={texts.access.acceptSubmit} onCancel={onClose}>
        {offered.length > 0 && (
          <fieldset>
            <legend>{texts.access.offeredZones}</legend>
            {offered.map(one => (
              <button
                key={one.id}
                type="button"
                class="quiet"
                onClick={() => form.type({ zone_transfer_request_id: one.id })}
              >
                {one.zone_name}
              </button>
            ))}
          </fieldset>
        )}
        <Field
          label={texts.access.requestId}
          {...form.field('zone_transfer_request_id')}
          isRequired
        />
        <Field label={texts.access.requestKey} {...form.field('key')} isRequired />
      </Form>
    </Dialog>
  )
}
