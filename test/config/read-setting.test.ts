import t from 'tap'
import { isSet, parseSetting, readSetting } from '../../src/config/read-setting.ts'
import type { Source } from '../../src/config/sources.ts'

const first: Source = {
  place: '',
  values: { ZONEWRIGHT_LOG_LEVEL: 'debug', ZONEWRIGHT_DATA_DIR: '' },
}
const second: Source = {
  place: ' in a.json',
  values: { ZONEWRIGHT_LOG_LEVEL: 'warn', ZONEWRIGHT_DATA_DIR: 7 },
}

t.test('the first source that has a value gives it', async t => {
  t.equal(readSetting('ZONEWRIGHT_LOG_LEVEL', [first, second]), 'debug')
  t.equal(readSetting('ZONEWRIGHT_LOG_LEVEL', [second, first]), 'warn')
  t.equal(readSetting('ZONEWRIGHT_LOG_LEVEL', []), 'info')
})

t.test('a refusal names the place that the value stands in', async t => {
  const message = 'ZONEWRIGHT_DATA_DIR in a.json must be a directory, not 7'
  t.throws(() => readSetting('ZONEWRIGHT_DATA_DIR', [first, second]), { message })
})

t.test('what the parser does not take is refused like what the schema does not', async t => {
  const parse = (value: string) => (value === 'debug' ? 1 : undefined)
  t.equal(parseSetting('ZONEWRIGHT_LOG_LEVEL', [first], parse), 1)
  t.throws(() => parseSetting('ZONEWRIGHT_LOG_LEVEL', [second], parse), {
    message:
      'ZONEWRIGHT_LOG_LEVEL in a.json must be one of silent, error, warn, info, debug, not "warn"',
  })
})

t.test('an empty text sets nothing, an empty list does', async t => {
  const empty: Source = {
    place: '',
    values: { ZONEWRIGHT_DATA_DIR: '', ZONEWRIGHT_EXTENSIONS_V1: '' },
  }
  t.equal(isSet('ZONEWRIGHT_DATA_DIR', [empty]), false)
  t.equal(isSet('ZONEWRIGHT_EXTENSIONS_V1', [empty]), true)
  t.strictSame(readSetting('ZONEWRIGHT_EXTENSIONS_V1', [empty]), [])
})
