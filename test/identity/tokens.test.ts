import t from 'tap'
import {
  decodeToken,
  encodeToken,
  newAuditId,
  newSigningKey,
  secretStampOf,
  type TokenClaims,
} from '../../src/identity/tokens.ts'

const key = Buffer.alloc(32, 7)
const claims: TokenClaims = {
  userId: '0123456789abcdef0123456789abcdef',
  projectId: 'fedcba9876543210fedcba9876543210',
  methods: ['password', 'token'],
  issuedAtMillis: 1_790_000_000_000,
  expiresAtMillis: 1_790_003_600_000,
  auditId: newAuditId(),
  parentAuditId: newAuditId(),
  credentialId: '00112233445566778899aabbccddeeff',
  secretStamp: secretStampOf('scrypt$…'),
}

t.test('claims come back from a token as they went in', async t => {
  t.strictSame(decodeToken(encodeToken(claims, key), key), claims)
  const unscoped = {
    ...claims,
    projectId: null,
    credentialId: null,
    parentAuditId: null,
    methods: ['password'],
  } as const
  t.strictSame(decodeToken(encodeToken(unscoped, key), key), unscoped)
  const named = { ...claims, userId: 'jo', projectId: 'ABCDEFGHIJKLMNOPQRSTUV' }
  t.strictSame(decodeToken(encodeToken(named, key), key), named)
})

t.test('a token fits where 255 characters do, and in a header and a URL', async t => {
  t.match(encodeToken(claims, key), /^[A-Za-z0-9_.-]{1,254}$/)
})

t.test('a token signed with another key is none', async t => {
  t.equal(decodeToken(encodeToken(claims, newSigningKey()), key), undefined)
})

t.test('a token changed in any character is none', async t => {
  const token = encodeToken(claims, key)
  for (let i = 0; i < token.length; i++) {
    const other = token[i] === 'A' ? 'B' : 'A'
    const changed = token.slice(0, i) + other + token.slice(i + 1)
    if (decodeToken(changed, key) !== undefined) t.fail(`character ${i} does not count`)
  }
  t.equal(decodeToken(`${token}=`, key), undefined)
  t.equal(decodeToken(token.slice(0, -1), key), undefined)
})

t.test('junk is no token', async t => {
  const junk = [
    '',
    '.',
    'notused',
    '..',
    'a.b',
    'x'.repeat(100_000),
    `${'x'.repeat(600)}.y`,
    '\0.\0',
  ]
  for (const text of junk) t.equal(decodeToken(text, key), undefined, text.slice(0, 20))
})

t.test('a stamp tells passwords apart and is short', async t => {
  t.not(secretStampOf('one'), secretStampOf('other'))
  t.equal(secretStampOf('one').length, 8)
})
