import { type Denial, denials } from '../dnssec/denial.ts'
import { algorithms, type DsDigest } from '../dnssec/key.ts'
import type { KeyRole, WantedKey } from '../dnssec/key-goals.ts'
import type { FieldError } from '../errors.ts'
import type { Stamped } from './stamped.ts'

export { denials }

/** Which keys a zone has, and for how long. */
export type DnssecPolicy = Stamped & DnssecPolicyDraft

export type DnssecPolicyDraft = {
  readonly name: string
  readonly description: string | null
  /** CSK: one key for all; KSK+ZSK: one that signs DNSKEY and one that signs all else. */
  readonly keys: 'CSK' | 'KSK+ZSK'
  readonly algorithm: number
  /** How long a CSK or KSK is used; null: without limit. */
  readonly kskLifetimeDays: number | null
  readonly zskLifetimeDays: number | null
  /** Digest types that the parent is asked to publish, each as a separate DS. */
  readonly dsDigests: readonly DsDigest[]
  /** NSEC if absent, as in policies of earlier versions. */
  readonly denial?: Denial
}

const common = {
  version: 1,
  createdAt: 0,
  updatedAt: null,
  keys: 'CSK',
  kskLifetimeDays: null,
  zskLifetimeDays: null,
  dsDigests: [2],
} as const

/** The policies that always exist. */
export const builtInPolicies: readonly DnssecPolicy[] = [
  {
    ...common,
    id: 'default',
    name: 'default',
    description: 'One key of ECDSA with P-256, without end',
    algorithm: algorithms.ecdsaP256,
  },
  {
    ...common,
    id: 'ed25519',
    name: 'ed25519',
    description: 'One key of Ed25519, without end',
    algorithm: algorithms.ed25519,
  },
  {
    ...common,
    id: 'nsec3',
    name: 'nsec3',
    description: 'One key of ECDSA with P-256, without end, and names denied by hash',
    algorithm: algorithms.ecdsaP256,
    denial: 'NSEC3',
  },
]

const daySeconds = 86_400

export function wantedKeys({
  keys,
  algorithm,
  kskLifetimeDays,
  zskLifetimeDays,
}: DnssecPolicyDraft): WantedKey[] {
  const wanted = (role: KeyRole, days: number | null): WantedKey => {
    return { role, algorithm, lifetimeSeconds: days === null ? null : days * daySeconds }
  }
  if (keys === 'CSK') return [wanted('CSK', kskLifetimeDays)]
  return [wanted('KSK', kskLifetimeDays), wanted('ZSK', zskLifetimeDays)]
}

/** Checks the fields of a policy that depend on each other. */
export function dnssecPolicyErrors({
  algorithm,
  kskLifetimeDays,
  zskLifetimeDays,
}: DnssecPolicyDraft): FieldError[] {
  const isRolling = kskLifetimeDays !== null || zskLifetimeDays !== null
  if (algorithm !== algorithms.rsaSha256 || !isRolling) return []
  const message = 'keys of algorithm 8 come from elsewhere, so none replaces them by itself'
  return [{ path: ['algorithm'], message, validator: 'enum' }]
}
