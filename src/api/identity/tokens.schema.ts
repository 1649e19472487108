import { Type } from 'typebox'
import { component } from '../openapi/fields.ts'

// The body of a login. Unknown keys are accepted: clients send those of newer Keystones.

const domain = Type.Object({ id: Type.Optional(Type.String()), name: Type.Optional(Type.String()) })

const reference = {
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  domain: Type.Optional(domain),
}

const identity = Type.Object({
  methods: Type.Array(Type.String(), { minItems: 1, maxItems: 8 }),
  password: Type.Optional(
    Type.Object({
      user: Type.Object({ ...reference, password: Type.String() }),
    }),
  ),
  totp: Type.Optional(
    Type.Object({ user: Type.Object({ ...reference, passcode: Type.String() }) }),
  ),
  openid: Type.Optional(
    Type.Object({
      code: Type.String({ maxLength: 4096 }),
      code_verifier: Type.String({ maxLength: 128 }),
      nonce: Type.String({ maxLength: 128 }),
    }),
  ),
  token: Type.Optional(Type.Object({ id: Type.String() })),
  application_credential: Type.Optional(
    Type.Object({
      id: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      user: Type.Optional(Type.Object(reference)),
      secret: Type.String(),
    }),
  ),
})

const scope = Type.Union([
  Type.Literal('unscoped'),
  Type.Object({
    project: Type.Optional(Type.Object(reference)),
    unscoped: Type.Optional(Type.Object({})),
    // Requested by clients and refused: roles exist only in projects.
    domain: Type.Optional(Type.Unknown()),
    system: Type.Optional(Type.Unknown()),
  }),
])

/** Body of `POST /v3/auth/tokens`. */
export const loginSchema = component(
  'login',
  { auth: Type.Object({ identity, scope: Type.Optional(scope) }) },
  {
    auth: {
      identity: {
        methods: ['password'],
        password: { user: { name: 'admin', domain: { id: 'default' }, password: 'secret' } },
      },
      scope: { project: { name: 'admin', domain: { id: 'default' } } },
    },
  },
)
