import t from 'tap'
import { rdataTypes } from '../../../src/dns/rdata/index.ts'
import { checkRdata } from '../../helpers/check-rdata.ts'
import { rdataRows } from '../../helpers/rdata-rows.ts'

for (const row of rdataRows) checkRdata(t, row)

t.test('every type of the registry has a row', async t => {
  const rowTypes = new Set(rdataRows.map(row => row.type))
  for (const { mnemonic } of rdataTypes.values()) t.ok(rowTypes.has(mnemonic), mnemonic)
})
