import { defineRdata } from './define-rdata.ts'
import { atmAddress, findAtmFault } from './fields/atm-address.ts'

/** ATM Name System Specification (ATM Forum, af-dans-0152.000) section 5.2. */
export const atma = defineRdata(
  'ATMA',
  { address: atmAddress },
  { findFault: ({ address }) => findAtmFault(address) },
)
