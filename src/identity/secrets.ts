import { hash, timingSafeEqual } from 'node:crypto'

/** Whether two secrets are equal, in a time that depends only on their lengths. */
export function isEqualSecret(given: string, expected: string): boolean {
  return secretTest(expected)(given)
}

/** As `isEqualSecret`, for one secret that many are compared with. */
export function secretTest(expected: string): (given: string) => boolean {
  const expectedDigest = digest(expected)
  return given => timingSafeEqual(digest(given), expectedDigest)
}

// Digests have equal lengths, as timingSafeEqual requires.
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
