import t from 'tap'
import { encodeToken, newSigningKey, type TokenClaims } from '../../src/identity/tokens.ts'
import { VerifiedTokens } from '../../src/identity/verified-tokens.ts'

const key = newSigningKey()

function claimsOf(auditId: string): TokenClaims {
  return {
    userId: 'u',
    projectId: null,
    methods: ['password'],
    issuedAtMillis: 0,
    expiresAtMillis: 1_000,
    auditId,
    parentAuditId: null,
    credentialId: null,
    secretStamp: '12345678',
  }
}

t.test('a token is read once, and is the same ever after', async t => {
  const verified = new VerifiedTokens(key)
  const token = encodeToken(claimsOf('a'), key)
  const claims = verified.claimsOf(token)
  t.strictSame(claims, claimsOf('a'))
  t.equal(verified.claimsOf(token), claims)
})

t.test('what is not ours is nobody’s, however often it is shown', async t => {
  const verified = new VerifiedTokens(key)
  const foreign = encodeToken(claimsOf('a'), newSigningKey())
  for (const token of [foreign, foreign, '', 'x.y']) t.equal(verified.claimsOf(token), undefined)
})
