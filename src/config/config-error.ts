/** The server cannot start with these settings or arguments. The message is one line that names the setting, the expected and
 *  the found value; it never contains a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
