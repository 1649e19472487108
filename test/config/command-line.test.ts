import t from 'tap'
import { helpText, parseArgs } from '../../src/config/command-line.ts'
import { settingNames } from '../../src/config/settings.ts'

t.test('arguments → command', async t => {
  const rows: [string, object][] = [
    ['', { kind: 'serve', configPath: undefined }],
    ['serve', { kind: 'serve', configPath: undefined }],
    ['--config a.json', { kind: 'serve', configPath: 'a.json' }],
    ['--config=a.json', { kind: 'serve', configPath: 'a.json' }],
    ['store repair', { kind: 'store-repair', configPath: undefined, dataDir: undefined }],
    [
      'store dump log',
      { kind: 'store-dump', configPath: undefined, dataDir: undefined, what: 'log' },
    ],
    [
      'store repair --data-dir /srv --config a.json',
      { kind: 'store-repair', configPath: 'a.json', dataDir: '/srv' },
    ],
    [
      'store dump example.com. --data-dir /srv',
      { kind: 'store-dump', configPath: undefined, dataDir: '/srv', what: 'example.com.' },
    ],
    ['pricing apply default', { kind: 'pricing-apply', configPath: undefined, model: 'default' }],
    ['check', { kind: 'check', configPath: undefined, dataDir: undefined }],
    ['check --data-dir /srv', { kind: 'check', configPath: undefined, dataDir: '/srv' }],
    [
      'store publish --to postgres://zw@db/zw',
      {
        kind: 'store-publish',
        configPath: undefined,
        dataDir: undefined,
        url: 'postgres://zw@db/zw',
      },
    ],
    [
      'store fetch --from postgres://zw@db/zw --data-dir /srv',
      { kind: 'store-fetch', configPath: undefined, dataDir: '/srv', url: 'postgres://zw@db/zw' },
    ],
    ['--help', { kind: 'help' }],
    ['-h', { kind: 'help' }],
    ['store repair --help', { kind: 'help' }],
    ['--version', { kind: 'version' }],
    ['-v', { kind: 'version' }],
  ]
  for (const [line, command] of rows)
    t.strictSame(parseArgs(line.split(' ').filter(Boolean)), command, line)
})

t.test('what is not understood is refused in one line', async t => {
  for (const line of [
    '--colour',
    'frobnicate',
    'store',
    '--config',
    '--data-dir /srv',
    'serve x',
    'check x',
    'pricing apply',
    'pricing apply default x',
    'store dump',
    'store dump zones x',
    'store publish',
    'store fetch --to postgres://zw@db/zw',
    'check --from postgres://zw@db/zw',
    'pricing apply default --data-dir /srv',
  ]) {
    t.throws(() => parseArgs(line.split(' ')), { name: 'ConfigError', message: /^[^\n]+$/ }, line)
  }
})

t.test('the help names every setting with its default', async t => {
  for (const name of settingNames) t.match(helpText(), `  ${name}`)
  t.match(helpText(), 'ZONEWRIGHT_API_LISTEN (default 127.0.0.1:9001)')
})
