import t from 'tap'
import { ImportError, importMessage, malformed } from '../../src/bulk/import-error.ts'
import { WorkerDiedError } from '../../src/bulk/worker-pool.ts'
import { ApiError } from '../../src/errors.ts'

t.test('an owner is told what is theirs to mend, and nothing of our own faults', async t => {
  const rows: readonly [unknown, string | undefined][] = [
    [new ImportError(malformed('line 3: no type')), 'Malformed zonefile. Line 3: no type'],
    [new ApiError('duplicate_zone', 'x'), 'Duplicate zone.'],
    [new ApiError('over_quota', 'x'), 'Quota exceeded during zone import. x'],
    [new ApiError('invalid_ttl', 'TTL is low'), 'TTL is low'],
    [
      new WorkerDiedError('it takes more memory than a thread may have'),
      'The file could not be read: it takes more memory than a thread may have.',
    ],
    [new TypeError('undefined is no function'), undefined],
  ]
  for (const [error, message] of rows) t.equal(importMessage(error), message)
})
