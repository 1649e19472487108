import t from 'tap'
import { parseSettingsFile, readEnvironment } from '../../src/config/sources.ts'

t.test('the environment gives our variables only', async t => {
  t.strictSame(readEnvironment({ PATH: '/bin', ZONEWRIGHT_DATA_DIR: '/srv' }), {
    place: '',
    values: { ZONEWRIGHT_DATA_DIR: '/srv' },
  })
})

t.test('a file gives its keys as they are and says where they stand', async t => {
  t.strictSame(parseSettingsFile('a.json', '{"ZONEWRIGHT_DNS_WORKERS": 2}'), {
    place: ' in a.json',
    values: { ZONEWRIGHT_DNS_WORKERS: 2 },
  })
})

t.test('unknown names are refused in both', async t => {
  const refusal = { name: 'ConfigError', message: /unknown setting ZONEWRIGHT_X/ }
  t.throws(() => readEnvironment({ ZONEWRIGHT_X: '' }), refusal)
  t.throws(() => parseSettingsFile('a.json', '{"ZONEWRIGHT_X": 1}'), refusal)
})

t.test('a key that every object has is no setting', async t => {
  t.throws(() => parseSettingsFile('a.json', '{"__proto__": {}}'), { name: 'ConfigError' })
  t.throws(() => parseSettingsFile('a.json', '{"constructor": 1}'), { name: 'ConfigError' })
})
