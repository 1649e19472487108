import { Secret, TOTP } from 'otpauth'

/** A secret of the tests, base32. */
export const totpSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

/** The passcode that an app shows at a time. */
export function passcodeAt(millis: number, secret = totpSecret): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: millis })
}
