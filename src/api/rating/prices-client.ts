import { compile } from '../../validator.ts'
import { askServer, type RunningServer, ServerUnavailableError } from '../ask-server.ts'
import { type AppliedPricesView, appliedPricesSchema, pricesPath } from './prices.ts'

/** Asks a server to apply a price model.
 *  @throws ServerUnavailableError it cannot be reached, refuses, or answers something else */
export async function askToApplyPrices(
  server: RunningServer,
  model: string,
): Promise<AppliedPricesView> {
  const path = `${pricesPath}/${encodeURIComponent(model)}`
  const view = await askServer(server, { method: 'PUT', path, what: 'apply the prices' })
  if (compile(appliedPricesSchema)(view).length > 0)
    throw new ServerUnavailableError(`what ${server.url} answers is no report of prices`)
  return view as AppliedPricesView
}
