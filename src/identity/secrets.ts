import { timingSafeEqual } from 'node:crypto'

/** Whether two secrets are equal, in a time that depends only on their lengths. */
export function isEqualSecret(given: string, expected: string): boolean {
  return secretTest(expected)(given)
}

/** As `isEqualSecret`, for one secret that many are compared with. */
export function secretTest(expected: string): (given: string) => boolean {
  const expectedOctets = Buffer.from(expected)
  return given => {
    const octets = Buffer.from(given)
    return octets.length === expectedOctets.length && timingSafeEqual(octets, expectedOctets)
  }
}
