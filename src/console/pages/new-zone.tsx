import { useLocation } from 'preact-iso'
import { createZone, type Zone } from '../api/zones.ts'
import { completeName } from '../records/fields.ts'
import { texts } from '../texts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Choice, Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { useForm } from '../ui/submission.ts'

/** The form for a new zone. */
export function NewZone({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const blank = { name: '', type: 'PRIMARY' as Zone['type'], email: '', masters: '' }
  const form = useForm(blank, async ({ name, type, email, masters }) => {
    const own =
      type === 'PRIMARY'
        ? { email: email.trim() || usualEmail }
        : { masters: masters.split(/\s+/).filter(one => one !== '') }
    const zone = await createZone({ name: completeName(name.trim(), ''), type, ...own })
    route(`/console/zones/${zone.id}`)
  })
  const { name, type } = form.typed
  // RFC 2142, section 7.
  const usualEmail = `hostmaster@${name.trim().replace(/\.$/, '') || 'example.com'}`
  return (
    <Dialog title={texts.zones.create} onClose={onClose}>
      <Form {...form} submit={texts.zones.submit} onCancel={onClose}>
        <Field
          label={texts.zones.name}
          placeholder={texts.zones.nameHint}
          {...form.field('name')}
          isRequired
        />
        <Choice
          label={texts.zones.type}
          value={type}
          onChange={next => form.type({ type: next as Zone['type'] })}
          options={[
            ['PRIMARY', texts.zones.primary],
            ['SECONDARY', texts.zones.secondary],
          ]}
        />
        {type === 'PRIMARY' ? (
          <Field label={texts.zones.email} placeholder={usualEmail} {...form.field('email')} />
        ) : (
          <Field
            label={texts.zones.masters}
            placeholder={texts.zones.mastersHint}
            {...form.field('masters')}
            isRequired
          />
        )}
      </Form>
    </Dialog>
  )
}
