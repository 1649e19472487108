import { useState } from 'preact/hooks'
import { setUpSecondFactor } from '../api/accounts.ts'
import type { Session } from '../session.ts'
import { texts } from '../texts.ts'
import { Copy } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { useForm } from '../ui/submission.ts'

const secretOctets = 20
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

type SetUpProps = { readonly user: Session['user']; readonly onClose: () => void }

/** Passes a new secret to an app, verifies that the app has it, and shows the recovery codes. */
export function SetUpSecondFactor({ user, onClose }: SetUpProps) {
  const [secret] = useState(newSecret)
  const [codes, setCodes] = useState<readonly string[]>()
  const form = useForm({ passcode: '' }, async ({ passcode }) => {
    setCodes(await setUpSecondFactor(user.id, { secret, passcode }))
  })
  if (codes !== undefined) {
    return (
      <Dialog title={texts.account.codesTitle}>
        <p>{texts.account.codes}</p>
        <Copy label={texts.account.codesLabel} text={codes.join('\n')} />
        <div class="actions">
          <button type="button" class="main" onClick={onClose}>
            {texts.account.kept}
          </button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={texts.account.setUpTitle} onClose={onClose}>
      <Form {...form} submit={texts.account.turnOn} onCancel={onClose}>
        <p>{texts.account.scan}</p>
        <QrCode label={texts.account.qr} text={addressOf(user.name, secret)} />
        <Copy label={texts.account.key} text={secret} />
        <Field
          label={texts.account.passcode}
          autocomplete="one-time-code"
          isNumber
          isFirst
          isRequired
          {...form.field('passcode')}
        />
      </Form>
    </Dialog>
  )
}

function newSecret(): string {
  const octets = [...crypto.getRandomValues(new Uint8Array(secretOctets))]
  const bits = octets.map(octet => octet.toString(2).padStart(8, '0')).join('')
  const digits = bits.match(/.{5}/g) ?? []
  return digits.map(digit => base32[Number.parseInt(digit, 2)]).join('')
}

/** As apps take it (Key Uri Format of Google Authenticator). */
function addressOf(name: string, secret: string): string {
  const label = encodeURIComponent(`Zonewright:${name}`)
  return `otpauth://totp/${label}?secret=${secret}&issuer=Zonewright`
}
