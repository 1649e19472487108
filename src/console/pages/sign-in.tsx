import { useState } from 'preact/hooks'
import { type Credentials, signIn } from '../session.ts'
import { texts } from '../texts.ts'
import { Complaint, Field } from '../ui/field.tsx'

/** The form to sign in with.
 *  @param user whose session has ended; another one may sign in as well */
export function SignIn({ user: known = '' }: { readonly user?: string }) {
  const [kind, setKind] = useState<Credentials['kind']>('password')
  const [name, setName] = useState(known)
  const [secret, setSecret] = useState('')
  const [project, setProject] = useState('')
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await signIn(credentialsOf(kind, { name, secret, project }))
    } catch (failure) {
      setError((failure as Error).message)
      setBusy(false)
    }
  }
  const isPassword = kind === 'password'
  return (
    <form onSubmit={submit}>
      <fieldset class="switch">
        <button type="button" aria-pressed={isPassword} onClick={() => setKind('password')}>
          {texts.signIn.withPassword}
        </button>
        <button
          type="button"
          aria-pressed={!isPassword}
          onClick={() => setKind('application-credential')}
        >
          {texts.signIn.withCredential}
        </button>
      </fieldset>
      <Field
        label={isPassword ? texts.signIn.user : texts.signIn.credentialId}
        value={name}
        onInput={setName}
        autocomplete="username"
        isRequired
      />
      <Field
        label={isPassword ? texts.signIn.password : texts.signIn.secret}
        isSecret
        value={secret}
        onInput={setSecret}
        autocomplete="current-password"
        isRequired
      />
      {isPassword && <Field label={texts.signIn.project} value={project} onInput={setProject} />}
      <Complaint text={error} />
      <button type="submit" class="main" disabled={isBusy}>
        {texts.signIn.submit}
      </button>
    </form>
  )
}

function credentialsOf(
  kind: Credentials['kind'],
  { name, secret, project }: Readonly<Record<'name' | 'secret' | 'project', string>>,
): Credentials {
  if (kind === 'application-credential') return { kind, id: name, secret }
  return { kind, user: name, password: secret, ...(project !== '' && { project }) }
}
