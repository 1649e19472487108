import t from 'tap'
import { FormatError, ifWellFormed } from '../../src/dns/format-error.ts'

t.test('what is malformed gives no value; any other error is passed on', async t => {
  const failing = (error: Error) => () => {
    throw error
  }
  t.equal(
    ifWellFormed(() => 7),
    7,
  )
  t.equal(ifWellFormed(failing(new FormatError('a label is empty'))), undefined)
  t.throws(() => ifWellFormed(failing(new RangeError('of a program'))), RangeError)
})
