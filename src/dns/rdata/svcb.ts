import { clipText } from '../presentation.ts'
import { defineRdata } from './define-rdata.ts'
import { u16 } from './fields/integers.ts'
import { name } from './fields/name.ts'
import { svcParamKeys } from './fields/svc-param-key.ts'
import { decodeAlpn, decodeMandatory } from './fields/svc-param-values.ts'
import { type SvcParam, svcParams } from './fields/svc-params.ts'

const fields = { priority: u16, target: name, params: svcParams }

type ServiceBinding = { params: readonly SvcParam[] }

/** Recipients ignore parameters beside priority 0 (AliasMode, RFC 9460 section 2.4.2), but contradictory ones are not
 *  what their writer means, so the same rules apply. */
function findFault({ params }: ServiceBinding): string | undefined {
  const keys = new Set(params.map(param => param.key))
  if (keys.has(svcParamKeys['no-default-alpn']) && !keys.has(svcParamKeys.alpn)) {
    return 'no-default-alpn needs alpn beside it'
  }
  const mandatory = params.find(param => param.key === svcParamKeys.mandatory)
  const hasAll =
    mandatory === undefined || decodeMandatory(mandatory.octets).every(key => keys.has(key))
  return hasAll ? undefined : 'a mandatory parameter is missing'
}

/** HTTP's own protocols, their drafts and versions (IANA TLS ALPN Protocol IDs): `http/1.1`, `h2`, `h3-29`. */
const httpProtocol = /^(?:http\/\d[.\d]*|spdy\/\d[.\d]*|h2c?|h3|h[23q]-.+)$/

/** A protocol that no client uses for HTTP hides the service: `http2`, `H2` and `h1` are the usual mistakes. */
function findHttpsFault(value: ServiceBinding): string | undefined {
  const alpn = value.params.find(param => param.key === svcParamKeys.alpn)
  const other = decodeAlpn(alpn?.octets ?? '').find(id => !httpProtocol.test(id))
  return other === undefined ? findFault(value) : `alpn '${clipText(other)}' is no protocol of HTTP`
}

/** RFC 9460 section 2. */
export const svcb = defineRdata('SVCB', fields, { findFault })

/** RFC 9460 section 9: SVCB for HTTP, with its own type code. */
export const https = defineRdata('HTTPS', fields, { findFault: findHttpsFault })
