import { systemAddresses } from '../../src/transport/outbound/host-addresses.ts'
import type { Reach } from '../../src/transport/outbound/reach.ts'

/** No address is refused. */
export const anywhere: Reach = { problemOf: () => undefined, resolve: systemAddresses }

/** The same for whoever names a master. */
export const anywhereForAll = { project: anywhere, operator: anywhere }
