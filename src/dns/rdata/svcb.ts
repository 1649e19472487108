import { defineRdata } from './define-rdata.ts'
import { u16 } from './fields/integers.ts'
import { name } from './fields/name.ts'
import { svcParamKeys } from './fields/svc-param-key.ts'
import { decodeMandatory } from './fields/svc-param-values.ts'
import { type SvcParam, svcParams } from './fields/svc-params.ts'

const fields = { priority: u16, target: name, params: svcParams }

type ServiceBinding = { priority: number; params: readonly SvcParam[] }

/** RFC 9460 section 2.4.2: with priority 0 (AliasMode) all parameters are ignored, so none is wrong. */
function findFault({ priority, params }: ServiceBinding): string | undefined {
  if (priority === 0) return undefined
  const keys = new Set(params.map(param => param.key))
  if (keys.has(svcParamKeys['no-default-alpn']) && !keys.has(svcParamKeys.alpn)) {
    return 'no-default-alpn needs alpn beside it'
  }
  const mandatory = params.find(param => param.key === svcParamKeys.mandatory)
  const hasAll =
    mandatory === undefined || decodeMandatory(mandatory.octets).every(key => keys.has(key))
  return hasAll ? undefined : 'a mandatory parameter is missing'
}

/** RFC 9460 section 2. */
export const svcb = defineRdata('SVCB', fields, { findFault })

/** RFC 9460 section 9: SVCB for HTTP, under a number of its own. */
export const https = defineRdata('HTTPS', fields, { findFault })
