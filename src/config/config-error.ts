import { OperatorError } from '../operator-error.ts'

/** The server cannot start with these settings or arguments. The message is one line that names the setting, the expected and
 *  the found value; it never contains a secret. */
export class ConfigError extends OperatorError {
  /** sysexits.h: a setting is wrong; starting again will not help. */
  override readonly exitCode = 78
}
