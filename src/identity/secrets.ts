import { hash, timingSafeEqual } from 'node:crypto'

/** Whether two secrets are equal, in a time that depends only on their lengths. */
export function isEqualSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

// Digests have equal lengths, as timingSafeEqual requires.
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
