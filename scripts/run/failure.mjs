/** Ends the run with one line that names the cause and the remedy. */
export class Failure extends Error {
  /**
   * @param {string} message
   * @param {number} exitCode as in sysexits.h: 64 wrong usage, 69 something needed is not available
   */
  constructor(message, exitCode) {
    super(message)
    this.name = 'Failure'
    this.exitCode = exitCode
  }
}
