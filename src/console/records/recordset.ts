import type { Static } from 'typebox'
import type { recordsetAnswer } from '../../api/dns/answers.ts'

/** A record set as `/v2/zones/…/recordsets` shows it. */
export type Recordset = Static<typeof recordsetAnswer>
