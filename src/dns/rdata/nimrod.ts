import { defineRdata } from './define-rdata.ts'
import { hexRest } from './fields/hex.ts'

// Endpoints and locators of the Nimrod routing architecture, from a draft that did not become an RFC.

export const eid = defineRdata('EID', { endpoint: hexRest })

export const nimloc = defineRdata('NIMLOC', { locator: hexRest })
