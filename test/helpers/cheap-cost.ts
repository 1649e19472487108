import type { ScryptCost } from '../../src/identity/passwords.ts'

/** What a password costs where only its rules are tested. */
export const cheapCost: ScryptCost = { N: 16, r: 1, p: 1 }
