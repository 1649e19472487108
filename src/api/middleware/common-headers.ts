import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'
import { requestIdOf } from './request-notes.ts'

const setHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  // TLS ends at a proxy in front of this server, which decides whether HTTPS is permanent.
  strictTransportSecurity: false,
})

const headers = new Map<string, string>()
const recorder = {
  setHeader: (name: string, value: string) => headers.set(name.toLowerCase(), value),
  removeHeader: () => undefined,
}
setHeaders({} as IncomingMessage, recorder as unknown as ServerResponse, () => undefined)

/** What helmet sets, the same for every response. */
const safeHeaders: Readonly<Record<string, string>> = Object.fromEntries(headers)

/** The headers of every response: its name, and those that let browsers do nothing with it but read it. A page that needs more
 *  (the console) has a policy of its own. */
export function commonHeaders({ req }: ServerResponse): Readonly<Record<string, string>> {
  return { ...safeHeaders, 'x-openstack-request-id': requestIdOf(req) }
}
