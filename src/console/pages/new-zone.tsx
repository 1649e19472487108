import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { createZone, type Zone } from '../api/zones.ts'
import { completeName } from '../records/fields.ts'
import { texts } from '../texts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Choice, Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { useSubmission } from '../ui/submission.ts'

/** The form for a new zone. */
export function NewZone({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const [type, setType] = useState<Zone['type']>('PRIMARY')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [masters, setMasters] = useState('')
  // RFC 2142, section 7.
  const usualEmail = `hostmaster@${name.trim().replace(/\.$/, '') || 'example.com'}`
  const fields = ['name', 'type', 'email', 'masters']
  const { onSubmit, isBusy, refusalOf, rest } = useSubmission(fields, async () => {
    const own =
      type === 'PRIMARY'
        ? { email: email.trim() || usualEmail }
        : { masters: masters.split(/\s+/).filter(one => one !== '') }
    const zone = await createZone({ name: completeName(name.trim(), ''), type, ...own })
    route(`/console/zones/${zone.id}`)
  })
  return (
    <Dialog title={texts.zones.create} onClose={onClose}>
      <Form {...{ onSubmit, isBusy, rest }} submit={texts.zones.submit} onCancel={onClose}>
        <Field
          label={texts.zones.name}
          placeholder={texts.zones.nameHint}
          value={name}
          onInput={setName}
          error={refusalOf('name')}
          isRequired
        />
        <Choice
          label={texts.zones.type}
          value={type}
          onChange={value => setType(value as Zone['type'])}
        >
          <option value="PRIMARY">{texts.zones.primary}</option>
          <option value="SECONDARY">{texts.zones.secondary}</option>
        </Choice>
        {type === 'PRIMARY' ? (
          <Field
            label={texts.zones.email}
            placeholder={usualEmail}
            value={email}
            onInput={setEmail}
            error={refusalOf('email')}
          />
        ) : (
          <Field
            label={texts.zones.masters}
            placeholder={texts.zones.mastersHint}
            value={masters}
            onInput={setMasters}
            error={refusalOf('masters')}
            isRequired
          />
        )}
      </Form>
    </Dialog>
  )
}
