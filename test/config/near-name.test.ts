import t from 'tap'
import { findNearName } from '../../src/config/near-name.ts'

t.test('the nearest name is found', async t => {
  t.equal(findNearName('DATA_DIRR', ['DATA_DIR', 'DATA_DIRECTION']), 'DATA_DIR')
  t.equal(findNearName('DTA_DIR', ['LOG_LEVEL', 'DATA_DIR']), 'DATA_DIR')
  t.equal(findNearName('LEVEL_LOG', ['LOG_LEVEL', 'DATA_DIR']), undefined)
})

t.test('at most a third may have to change', async t => {
  t.equal(findNearName('abxx', ['abcdef']), undefined)
  t.equal(findNearName('abcdxx', ['abcdef']), 'abcdef')
})
