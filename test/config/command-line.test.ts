import t from 'tap'
import {
  isServerCommand,
  parseArgs,
  serverHelp,
  settingsText,
} from '../../src/config/command-line.ts'
import { settingNames } from '../../src/config/settings.ts'

t.test('arguments → command', async t => {
  const rows: [string, object][] = [
    ['', { kind: 'serve', configPath: undefined }],
    ['start', { kind: 'serve', configPath: undefined }],
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
    ['check', { kind: 'check', configPath: undefined, dataDir: undefined, isJson: false }],
    [
      '--json check --data-dir /srv',
      { kind: 'check', configPath: undefined, dataDir: '/srv', isJson: true },
    ],
    [
      'restore b.tar --json',
      {
        kind: 'restore',
        configPath: undefined,
        dataDir: undefined,
        file: 'b.tar',
        at: undefined,
        isJson: true,
      },
    ],
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
    ['settings', { kind: 'settings', isJson: false }],
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
    'start x',
    'check x',
    '--json store repair',
    'store dump',
    'store dump zones x',
    'store publish',
    'store fetch --to postgres://zw@db/zw',
    'check --from postgres://zw@db/zw',
    'check --at 5',
    'settings --data-dir /srv',
    'settings --at 5',
    'store repair --to postgres://zw@db/zw',
    'store dump log --at 5',
    'store publish --to postgres://zw@db/zw --at 5',
  ]) {
    t.throws(() => parseArgs(line.split(' ')), { name: 'UsageError', message: /^[^\n]+$/ }, line)
  }
})

t.test('a command that is not whole is shown whole', async t => {
  const rows: readonly [line: string, message: string | RegExp][] = [
    ['start x', 'unknown command "start x"; see --help'],
    ['restore', /^usage: restore <file> \[--data-dir <path>\]/],
    ['store dump', 'usage: store dump <what> [--data-dir …]'],
    [
      'store',
      /^usage: store repair .*, or store dump .*, or store fetch --from <url> \[--data-dir …\]$/,
    ],
  ]
  for (const [line, message] of rows)
    t.throws(() => parseArgs(line.split(' ')), { name: 'UsageError', message }, line)
})

t.test('every setting is listed with its default', async t => {
  for (const name of settingNames) t.match(settingsText(), `  ${name}`)
  t.match(settingsText(), 'ZONEWRIGHT_API_LISTEN (default 127.0.0.1:9001)')
  t.match(JSON.parse(settingsText({ isJson: true }))[0], {
    name: 'ZONEWRIGHT_DATA_DIR',
    default: './data',
    value: 'a directory',
  })
})

t.test('the help calls the program as it was started', async t => {
  t.match(serverHelp('npm start --'), '\nnpm start -- <command>')
})

t.test('the first word behind options says whose command it is', async t => {
  for (const [words, isServers] of [
    ['zone list', false],
    ['--json --os-cloud here record list example.com', false],
    ['--url http://127.0.0.1:9001 status', false],
    ['--os-cloud check zone list', false],
    ['frobnicate', false],
    ['', true],
    ['--version', true],
    ['check --data-dir zone', true],
    ['--data-dir zone check', true],
    ['--config zone', true],
    ['--token-file check zone list', false],
    ['store repair', true],
    ['--url http://127.0.0.1:9001 --token secret --help', false],
    ['--config zone --help', true],
  ] as const)
    t.equal(isServerCommand(words.split(' ').filter(Boolean)), isServers, words)
})
