import { useLocation } from 'preact-iso'
import { restoreZone } from '../../api/deleted-zones.ts'
import { deleteZone, type Zone } from '../../api/zones.ts'
import { texts } from '../../texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { notify } from '../../ui/notices.tsx'
import { useForm } from '../../ui/submission.ts'

type DeleteZoneProps = { readonly zone: Zone; readonly onClose: () => void }

/** Asks for the name of a zone before it is deleted. */
export function DeleteZone({ zone, onClose }: DeleteZoneProps) {
  const { route } = useLocation()
  const form = useForm({ name: '' }, async () => {
    await deleteZone(zone)
    route('/console/')
    notify(texts.deletedZones.wasDeleted(zone.name), {
      text: texts.review.undo,
      run: async () => {
        await restoreZone(zone.id)
        notify(texts.deletedZones.restored(zone.name))
        route(`/console/zones/${zone.id}`)
      },
    })
  })
  return (
    <Dialog title={texts.zone.deleteTitle} onClose={onClose}>
      <Form
        {...form}
        submit={texts.zone.delete}
        onCancel={onClose}
        isDangerous
        isDisabled={form.typed.name !== zone.name}
      >
        <p>{texts.zone.deleteWarning(zone.name)}</p>
        <Field label={texts.zones.name} {...form.field('name')} isFirst />
      </Form>
    </Dialog>
  )
}
