import { useState } from 'preact/hooks'
import { findProvider, goToProvider, openidFailure } from '../openid.ts'
import { type Credentials, endedSession, PasscodeNeededError, signIn } from '../session.ts'
import { texts } from '../texts.ts'
import { Complaint, Field } from '../ui/field.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { notifyFailure } from '../ui/notices.tsx'

/** The sign-in form. It asks for a passcode once the password is accepted, where the user's login needs one.
 *  @param user the user whose session has ended; another one may sign in as well */
export function SignIn({ user: known = '' }: { readonly user?: string }) {
  const [kind, setKind] = useState<Credentials['kind']>('password')
  const [name, setName] = useState(known)
  const [secret, setSecret] = useState('')
  const [passcode, setPasscode] = useState<string>()
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const { value: provider } = useLoaded(findProvider)
  const isPassword = kind === 'password'
  const isKnown = known !== ''
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await signIn(
        isPassword
          ? { kind, user: name, password: secret, ...(passcode !== undefined && { passcode }) }
          : { kind, id: name, secret },
      )
    } catch (failure) {
      setBusy(false)
      if (failure instanceof PasscodeNeededError) setPasscode('')
      else setError((failure as Error).message)
    }
  }
  const change = () => {
    setKind(isPassword ? 'application-credential' : 'password')
    setPasscode(undefined)
    setError(undefined)
  }
  return (
    <form onSubmit={submit}>
      <Field
        label={isPassword ? texts.signIn.user : texts.signIn.credentialId}
        value={name}
        onInput={setName}
        autocomplete="username"
        isRequired
        isFirst={!isKnown}
      />
      <Field
        label={isPassword ? texts.signIn.password : texts.signIn.secret}
        isSecret
        value={secret}
        onInput={setSecret}
        autocomplete="current-password"
        isRequired
        isFirst={isKnown}
      />
      {passcode !== undefined && (
        <Field
          label={texts.signIn.passcode}
          placeholder={texts.signIn.passcodeHint}
          value={passcode}
          onInput={setPasscode}
          autocomplete="one-time-code"
          isRequired
          isFirst
        />
      )}
      <Complaint text={error ?? openidFailure.value} />
      <button type="submit" class="main" disabled={isBusy}>
        {texts.signIn.submit}
      </button>
      {provider !== undefined && (
        <button
          type="button"
          class="other"
          onClick={() => goToProvider(provider, endedSession.value).catch(notifyFailure)}
        >
          {texts.signIn.withProvider}
        </button>
      )}
      <button type="button" class="quiet other" onClick={change}>
        {isPassword ? texts.signIn.withCredential : texts.signIn.withPassword}
      </button>
    </form>
  )
}
