import { Type } from 'typebox'
import type { SecondFactors } from '../../identity/second-factors.ts'
import { closed, component, listOf, text } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { secondFactorAnswer } from './answers.ts'

const path = '/v3/users/:user_id/totp'

const codesAnswer = Type.Object({
  totp: Type.Object({ recovery_codes: listOf(text('qhm2k-x7wpa')) }),
})

/** Body of `PUT /v3/users/<id>/totp`. */
const enrolmentSchema = component(
  'totp',
  {
    totp: closed({
      secret: Type.String({ maxLength: 128 }),
      passcode: Type.String({ maxLength: 32 }),
    }),
  },
  { totp: { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', passcode: '123456' } },
)

/** The passcodes that a user's login asks for. */
export function secondFactorRoutes(factors: SecondFactors): readonly Route[] {
  return [
    route(`GET ${path}`, {
      access: 'principal',
      summary: 'Says whether a user’s login asks for passcodes',
      answers: { 200: secondFactorAnswer },
      refusals: ['forbidden', 'not_found'],
      respond({ principal, parameters }) {
        const state = factors.stateOf(principal, parameters.user_id ?? '')
        const { isEnabled, recoveryCodesLeft } = state
        const totp = { enabled: isEnabled, recovery_codes_left: recoveryCodesLeft }
        return { totp }
      },
    }),
    route(`PUT ${path}`, {
      access: 'principal',
      summary: 'Has one’s own login ask for passcodes; the recovery codes are shown this once',
      answers: { 200: codesAnswer },
      refusals: ['forbidden', 'bad_request', 'conflict'],
      bodySchema: enrolmentSchema,
      async respond({ principal, parameters, body }) {
        const codes = await factors.enrol(principal, parameters.user_id ?? '', body.totp)
        return { totp: { recovery_codes: codes } }
      },
    }),
    route(`DELETE ${path}`, {
      access: 'principal',
      summary: 'Has a user’s login ask for the password alone',
      answers: { 204: null },
      refusals: ['forbidden', 'not_found'],
      respond: ({ principal, parameters }) => factors.remove(principal, parameters.user_id ?? ''),
    }),
  ]
}
