/** The server cannot start with these settings or arguments. The message is one line that says which, what is
 *  expected and what was found; it never holds a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
