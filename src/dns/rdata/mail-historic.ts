import { defineRdata } from './define-rdata.ts'
import { compressedName } from './fields/name.ts'

// Unused mail types. They are here because their names, as those of RFC 1035 types, may arrive compressed, and a stored
// pointer would point anywhere in another message.

/** RFC 1035 section 3.3.4. */
export const md = defineRdata('MD', { agent: compressedName })

/** RFC 1035 section 3.3.5. */
export const mf = defineRdata('MF', { agent: compressedName })

/** RFC 1035 section 3.3.3. */
export const mb = defineRdata('MB', { host: compressedName })

/** RFC 1035 section 3.3.6. */
export const mg = defineRdata('MG', { mailbox: compressedName })

/** RFC 1035 section 3.3.8. */
export const mr = defineRdata('MR', { mailbox: compressedName })

/** RFC 1035 section 3.3.7. */
export const minfo = defineRdata('MINFO', { owner: compressedName, errors: compressedName })
