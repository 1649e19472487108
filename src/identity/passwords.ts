import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

// Passwords at rest: `scrypt$N$r$p$salt$hash`, salt and hash in base64. The parameters travel with the hash,
// so that they can be raised without invalidating what is stored.

/** Cost of one scrypt: memory is 128 * N * r octets, time grows with N * r * p. */
export type ScryptCost = { readonly N: number; readonly r: number; readonly p: number }

/** 32 MiB and about a quarter of a second: OWASP's second row, kinder to memory than its first. */
export const standardCost: ScryptCost = { N: 2 ** 15, r: 8, p: 3 }

const saltOctets = 16
const hashOctets = 32

/** Hashes a password with a fresh salt. */
export async function hashPassword(password: string, cost: ScryptCost): Promise<string> {
  const salt = randomBytes(saltOctets)
  return storedForm(cost, salt, await derive(password, salt, cost))
}

/** A hash that no password matches, and that takes as long to check as a real one. */
export function decoyHash(cost: ScryptCost): string {
  return storedForm(cost, randomBytes(saltOctets), randomBytes(hashOctets))
}

function storedForm({ N, r, p }: ScryptCost, salt: Buffer, hash: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64'), hash.toString('base64')].join('$')
}

/** Whether a stored hash was made from a password. Takes the same time for either answer.
 *  @throws Error the stored text is not a password hash: the store is damaged */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const { cost, salt, hash } = parseHash(stored)
  return timingSafeEqual(await derive(password, salt, cost), hash)
}

/** A password for a person to type once: 128 random bits. */
export function generatePassword(): string {
  return randomBytes(16).toString('base64url')
}

type ParsedHash = { readonly cost: ScryptCost; readonly salt: Buffer; readonly hash: Buffer }

function parseHash(stored: string): ParsedHash {
  const [scheme, N, r, p, salt, hash, ...rest] = stored.split('$')
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined || rest.length > 0)
    throw new Error('a stored password hash is damaged')
  return {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

function derive(password: string, salt: Buffer, cost: ScryptCost): Promise<Buffer> {
  const options: ScryptOptions = { ...cost, maxmem: 256 * cost.N * cost.r }
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashOctets, options, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}
