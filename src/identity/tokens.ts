import { createHmac, hash, randomBytes } from 'node:crypto'
import { isEqualSecret } from './secrets.ts'

// Tokens carry their own claims and a signature, so that they cost no storage and outlive a restart:
//   base64url(JSON array of claims) "." base64url(HMAC-SHA256 of the text before the dot)
// They are signed, not secret: a client can read its own claims. What may change in a token's life (accounts,
// roles, revocation) is not in it and is looked up at each use.

/** How the bearer proved who it is. The order is part of the encoding. */
const loginMethods = ['password', 'token', 'application_credential', 'totp', 'openid'] as const
export type LoginMethod = (typeof loginMethods)[number]

export type TokenClaims = {
  readonly userId: string
  readonly projectId: string | null
  readonly methods: readonly LoginMethod[]
  readonly issuedAtMillis: number
  readonly expiresAtMillis: number
  /** Names this token in logs and among the revoked ones. */
  readonly auditId: string
  /** The first token of a chain in which each was obtained with the one before; null for the first. */
  readonly parentAuditId: string | null
  /** The application credential of the login, also in each token obtained with such a token. */
  readonly credentialId: string | null
  /** `secretStampOf` what was logged in with: a new password ends the tokens of the old one. */
  readonly secretStamp: string
}

const encodingVersion = 2
/** Longer texts are refused without parsing; ours stay below 255. */
const maxTokenCharacters = 512

/** Writes and signs a token. Times are kept to the second. */
export function encodeToken(claims: TokenClaims, key: Buffer): string {
  const fields: SignedFields = [
    encodingVersion,
    packId(claims.userId),
    packIdOrNull(claims.projectId),
    claims.methods.reduce((bits, method) => bits | (1 << loginMethods.indexOf(method)), 0),
    Math.floor(claims.issuedAtMillis / 1000),
    Math.floor(claims.expiresAtMillis / 1000),
    claims.auditId,
    claims.parentAuditId,
    packIdOrNull(claims.credentialId),
    claims.secretStamp,
  ]
  const payload = Buffer.from(JSON.stringify(fields)).toString('base64url')
  return `${payload}.${sign(payload, key)}`
}

/** Reads a token, or undefined when it was not signed with the key. Does not check its expiry. */
export function decodeToken(text: string, key: Buffer): TokenClaims | undefined {
  if (text.length > maxTokenCharacters) return undefined
  const dotAt = text.indexOf('.')
  if (dotAt < 0) return undefined
  const payload = text.slice(0, dotAt)
  if (!isEqualSecret(text.slice(dotAt + 1), sign(payload, key))) return undefined
  // Only tokens that we signed get here, so the version determines the form.
  const fields = JSON.parse(Buffer.from(payload, 'base64url').toString()) as SignedFields
  if (fields[0] !== encodingVersion) return undefined
  const [, user, project, bits, issuedAt, expiresAt, auditId, parentAuditId, credential, stamp] =
    fields
  return {
    userId: unpackId(user),
    projectId: unpackIdOrNull(project),
    methods: loginMethods.filter((_, i) => (bits & (1 << i)) !== 0),
    issuedAtMillis: issuedAt * 1000,
    expiresAtMillis: expiresAt * 1000,
    auditId,
    parentAuditId,
    credentialId: unpackIdOrNull(credential),
    secretStamp: stamp,
  }
}

/** A name for a new token: 96 random bits. */
export function newAuditId(): string {
  return randomBytes(12).toString('base64url')
}

/** A fresh key to sign tokens with. */
export function newSigningKey(): Buffer {
  return randomBytes(32)
}

/** Identifies the stored hash of a password or other secret without revealing anything of it. */
export function secretStampOf(secretHash: string): string {
  return hash('sha256', secretHash, 'base64url').slice(0, 8)
}

type SignedFields = readonly [
  version: number,
  user: string,
  project: string | null,
  methodBits: number,
  issuedAtSeconds: number,
  expiresAtSeconds: number,
  auditId: string,
  parentAuditId: string | null,
  credential: string | null,
  secretStamp: string,
]

function sign(payload: string, key: Buffer): string {
  return createHmac('sha256', key).update(payload).digest('base64url')
}

// Ids are UUIDs in hexadecimal digits, which base64 writes in two thirds of the room; clients keep tokens where
// 255 characters fit. Any other id is kept as it is behind a mark that base64url does not have.

const hexIdPattern = /^[0-9a-f]{32}$/
const plainMark = '='

function packId(id: string): string {
  return hexIdPattern.test(id) ? Buffer.from(id, 'hex').toString('base64url') : plainMark + id
}

function unpackId(packed: string): string {
  if (packed.startsWith(plainMark)) return packed.slice(1)
  return Buffer.from(packed, 'base64url').toString('hex')
}

function packIdOrNull(id: string | null): string | null {
  return id === null ? null : packId(id)
}

function unpackIdOrNull(packed: string | null): string | null {
  return packed === null ? null : unpackId(packed)
}
