/**
 * Whether an error is the system's, with one of these codes.
 *
 * @param {unknown} error
 * @param {string[]} codes such as `ENOENT`
 */
export function hasCode(error, ...codes) {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
