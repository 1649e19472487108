import { defineRdata } from './define-rdata.ts'
import { hostIdentity } from './fields/host-identity.ts'
import { names } from './fields/names.ts'

/** RFC 8005 section 5. */
export const hip = defineRdata('HIP', { identity: hostIdentity, rendezvousServers: names })
