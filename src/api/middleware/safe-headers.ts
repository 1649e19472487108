import helmet from 'helmet'

/** Headers that let browsers do nothing with an answer but read it. A page that needs more (the console) sets its own policy on
 *  its own paths. */
export const safeHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  // TLS ends at a proxy in front of this server, which decides whether HTTPS is permanent.
  strictTransportSecurity: false,
})
