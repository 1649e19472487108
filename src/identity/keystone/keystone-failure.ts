/** The external Keystone could not be asked, or its answer could not be understood. The message is for the operator of the
 *  server. */
export class KeystoneFailure extends Error {
  override readonly name = 'KeystoneFailure'
}
