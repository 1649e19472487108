import t from 'tap'
import {
  hidden,
  introduced,
  omnipresent,
  type Presence,
  withdrawn,
} from '../../src/dnssec/presence.ts'
import { isValidInEveryCache, type KeyRecords } from '../../src/dnssec/views.ts'

const everywhere = omnipresent
const gone = withdrawn(omnipresent, 5)
const begun = introduced(5)

function key(
  dnskey: Presence,
  zoneSignatures: Presence | null,
  ds: Presence | null,
  algorithm = 13,
): KeyRecords {
  return { algorithm, dnskey, zoneSignatures, ds }
}

t.test('what resolvers validate, by the states of the keys', async t => {
  const rows: readonly (readonly [string, boolean, readonly KeyRecords[]])[] = [
    ['no DS: nothing is validated', true, [key(begun, begun, hidden)]],
    ['a DS before all caches have the key', false, [key(begun, everywhere, begun)]],
    ['a DS before all caches have signatures', false, [key(everywhere, begun, begun)]],
    ['a DS of a key that all have', true, [key(everywhere, everywhere, begun)]],
    ['a key goes while a cache may have its DS', false, [key(gone, everywhere, gone)]],
    [
      'a ZSK takes over from another at once',
      true,
      [
        key(everywhere, null, everywhere),
        key(everywhere, gone, null),
        key(everywhere, begun, null),
      ],
    ],
    [
      'a ZSK signs before all caches know it',
      false,
      [key(everywhere, null, everywhere), key(everywhere, gone, null), key(begun, begun, null)],
    ],
    [
      'a ZSK stops before the other begins',
      false,
      [
        key(everywhere, null, everywhere),
        key(everywhere, gone, null),
        key(everywhere, introduced(6), null),
      ],
    ],
    [
      'a DNSKEY of another algorithm before its signatures',
      false,
      [key(everywhere, everywhere, everywhere), key(begun, begun, hidden, 15)],
    ],
    [
      'a DNSKEY of another algorithm behind its signatures',
      true,
      [key(everywhere, everywhere, everywhere), key(begun, everywhere, hidden, 15)],
    ],
    [
      'the parent replaces one DS by another',
      true,
      [key(everywhere, gone, gone), key(everywhere, begun, begun)],
    ],
  ]
  for (const [name, isValid, keys] of rows) t.equal(isValidInEveryCache(keys), isValid, name)
})
