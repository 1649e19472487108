import { useState } from 'preact/hooks'
import { changePassword, getSecondFactor, removeSecondFactor } from '../api/accounts.ts'
import { session } from '../session.ts'
import { texts } from '../texts.ts'
import { Card } from '../ui/card.tsx'
import { Confirmation } from '../ui/confirmation.tsx'
import { Copy } from '../ui/copy.tsx'
import { Complaint, Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { LanguageChoice } from '../ui/language-choice.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { notify } from '../ui/notices.tsx'
import { useForm } from '../ui/submission.ts'
import { SetUpSecondFactor } from './second-factor.tsx'

const nobody = { id: '', name: '' }

/** The account of the signed-in user: the password, the second factor, and the project. */
export function AccountPage() {
  const { user, project } = session.value ?? { user: nobody, project: nobody }
  const { id, name } = user
  const factor = useLoaded(() => getSecondFactor(id), [id])
  const [isOpen, setOpen] = useState(false)
  const isOn = factor.value?.enabled ?? false
  const close = () => {
    setOpen(false)
    factor.reload()
  }
  return (
    <section class="page scrolls">
      <div class="bar">
        <h1>{texts.account.title}</h1>
        <span class="count">{name}</span>
      </div>
      <div class="cards">
        <Card
          title={texts.account.factor}
          beside={
            factor.value !== undefined && (
              <button type="button" class={isOn ? 'danger' : 'main'} onClick={() => setOpen(true)}>
                {isOn ? texts.account.turnOff : texts.account.setUp}
              </button>
            )
          }
        >
          <Complaint text={factor.error} />
          {factor.value !== undefined && (
            <p class={`status ${isOn ? 'good' : 'off'}`}>
              {isOn
                ? texts.account.factorOn(factor.value.recovery_codes_left)
                : texts.account.factorOff}
            </p>
          )}
        </Card>
        <PasswordCard userId={id} onChanged={factor.reload} />
        <Card title={texts.account.project(project.name)} explain={texts.account.projectExplain}>
          <Copy label={texts.access.projectId} text={project.id} />
        </Card>
        <Card title={texts.account.browser} explain={texts.account.browserExplain}>
          <LanguageChoice />
        </Card>
      </div>
      {isOpen && !isOn && <SetUpSecondFactor user={{ id, name }} onClose={close} />}
      {isOpen && isOn && (
        <Confirmation
          title={texts.account.turnOffTitle}
          text={texts.account.turnOffExplain}
          action={texts.account.turnOff}
          onClose={() => setOpen(false)}
          run={() => removeSecondFactor(id).then(factor.reload)}
        />
      )}
    </section>
  )
}

type PasswordCardProps = { readonly userId: string; readonly onChanged: () => void }

function PasswordCard({ userId, onChanged }: PasswordCardProps) {
  const form = useForm({ original: '', password: '' }, async ({ original, password }) => {
    await changePassword(userId, original, password)
    form.type({ original: '', password: '' })
    notify(texts.account.changed)
    // The token has become invalid with the old password, so this asks for the new one.
    onChanged()
  })
  return (
    <Card title={texts.account.password} explain={texts.account.passwordExplain}>
      <Form {...form} submit={texts.account.changePassword}>
        <div class="columns">
          <Field
            label={texts.account.oldPassword}
            isSecret
            autocomplete="current-password"
            {...form.field('original')}
            isRequired
          />
          <Field
            label={texts.account.newPassword}
            isSecret
            autocomplete="new-password"
            {...form.field('password')}
            isRequired
          />
        </div>
      </Form>
    </Card>
  )
}
