import helmet from 'helmet'

/** Headers that keep browsers from doing with an answer anything but reading it. A page that wants more (the
 *  console) sets its own policy on its own paths. */
export const safeHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  // TLS ends in front of this server: whether HTTPS is there to stay is for that front to say.
  strictTransportSecurity: false,
})
