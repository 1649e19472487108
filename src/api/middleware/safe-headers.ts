import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'

const setHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  // TLS ends at a proxy in front of this server, which decides whether HTTPS is permanent.
  strictTransportSecurity: false,
})

/** What helmet sets, which is the same for every response. */
const headers = new Map<string, string>()
const recorder = {
  setHeader: (name: string, value: string) => headers.set(name, value),
  removeHeader: () => undefined,
}
setHeaders({} as IncomingMessage, recorder as unknown as ServerResponse, () => undefined)

/** Headers that let browsers do nothing with an answer but read it. A page that needs more (the console) sets its own policy on
 *  its own paths. */
export function setSafeHeaders(response: ServerResponse): void {
  for (const [name, value] of headers) response.setHeader(name, value)
}
