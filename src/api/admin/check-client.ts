import { compile } from '../../validator.ts'
import { askServer, type RunningServer, ServerUnavailableError } from '../ask-server.ts'
import { checkPath } from './check.ts'
import { type CheckView, checkViewSchema } from './check.view.ts'

/** Asks a server to check itself. Takes as long as the check.
 *  @throws ServerUnavailableError it cannot be reached, refuses, or answers something else */
export async function askForCheck(server: RunningServer): Promise<CheckView> {
  const what = 'check itself'
  const view = await askServer(server, { method: 'POST', path: checkPath, what })
  if (compile(checkViewSchema)(view).length > 0) {
    throw new ServerUnavailableError(`what ${server.url} answers is no report of a check`)
  }
  return view as CheckView
}
