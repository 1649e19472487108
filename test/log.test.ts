import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import t from 'tap'
import { createLogger, type LogLevel } from '../src/log.ts'

type Line = Record<string, unknown>

async function logged(level: LogLevel, log: (logger: ReturnType<typeof createLogger>) => void) {
  const stream = new PassThrough()
  log(createLogger({ level, stream }))
  stream.end()
  let text = ''
  stream.on('data', chunk => {
    text += chunk
  })
  await once(stream, 'end')
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Line)
}

t.test('a line has level name, ISO time, the fields and the message, and nothing else', async t => {
  const [line = {}] = await logged('info', logger =>
    logger.info({ zone: 'example.com.', serial: 7, durationMs: 0.5 }, 'zone published'),
  )
  t.same(Object.keys(line), ['level', 'time', 'zone', 'serial', 'durationMs', 'msg'])
  t.match(line, { level: 'info', zone: 'example.com.', serial: 7, msg: 'zone published' })
  t.match(line.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

t.test('lines below the level are not written', async t => {
  const lines = await logged('warn', logger => {
    logger.info('a')
    logger.warn('b')
    logger.error('c')
  })
  t.same(
    lines.map(line => line.msg),
    ['b', 'c'],
  )
  t.same(await logged('silent', logger => logger.error('a')), [])
})

t.test('secrets are not written, three steps down', async t => {
  const secrets = {
    password: 's3cret',
    token: 's3cret',
    tsig: { secret: 's3cret', name: 'key.example.' },
    request: { headers: { 'x-auth-token': 's3cret', authorization: 's3cret', cookie: 's3cret' } },
  }
  const [line = {}] = await logged('info', logger => logger.info(secrets, 'x'))
  t.notMatch(JSON.stringify(line), 's3cret')
  t.match(line, { password: '[secret]', tsig: { name: 'key.example.' } })
})

t.test('an error is written with its causes and stack under err', async t => {
  const failure = new Error('outer', { cause: new Error('inner') })
  const [line] = await logged('info', logger => logger.error({ err: failure }, 'failed'))
  t.match(line, { err: { type: 'Error', message: /outer.*inner/, stack: /inner/ }, msg: 'failed' })
})

t.test('what is waiting is written when the process exits or crashes', async t => {
  const module = new URL('../src/log.ts', import.meta.url).href
  for (const end of ['process.exit(3)', "throw new Error('crash')"]) {
    const program = `
      import { createLogger } from '${module}'
      const logger = createLogger({ level: 'info' })
      for (let i = 0; i < 100; i++) logger.info({ i }, 'line')
      ${end}`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    })
    t.equal(stdout.split('\n').length - 1, 100, end)
  }
})

// script (util-linux) gives a process a terminal.
const hasScript = spawnSync('script', ['--version']).error === undefined

t.test('on a terminal a line is for people', { skip: !hasScript && 'needs script' }, t => {
  const module = new URL('../src/log.ts', import.meta.url).href
  const program = `
    import { createLogger } from '${module}'
    const logger = createLogger({ level: 'info' })
    logger.warn({ zone: 'example.com.', token: 's3cret' }, 'zone published')
    logger.error({ err: new Error('torn\\nline') }, 'failed')`
  const command = [process.execPath, '--input-type=module', '-e', program]
  const quoted = command.map(word => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const { stdout } = spawnSync('script', ['-qec', quoted, '/dev/null'], {
    encoding: 'utf8',
    env: { ...process.env, TZ: 'UTC' },
  })
  const plain = stripVTControlCharacters(stdout)
  t.match(
    plain,
    /^\[\d\d:\d\d:\d\d\] WARN: zone published \{"zone":"example.com.","token":"\[secret\]"\}\r?\n/,
  )
  t.match(plain, /ERROR: failed/)
  t.notMatch(plain, 's3cret')
  t.not(plain, stdout, 'levels have colours')
  t.end()
})

t.test('a process whose log has lost its reader still ends', async t => {
  const script = `
    import { createLogger } from '${new URL('../src/log.ts', import.meta.url).href}'
    const logger = createLogger({ level: 'info' })
    logger.info('first')
    process.stdin.once('data', () => {
      logger.info('nobody reads this')
      setTimeout(() => { logger.info('nor this'); process.exit(7) }, 50)
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.stdout.destroy()
  child.stdin.write('go')
  const [code] = await once(child, 'exit')
  t.equal(code, 7)
})

t.test('a log on a full disk goes on when there is room, and holds up no exit', async t => {
  const path = join(t.testdir({}), 'log')
  for (const isFreed of [true, false]) {
    const script = `
      import { closeSync, openSync } from 'node:fs'
      import { createLogger } from '${new URL('../src/log.ts', import.meta.url).href}'
      const logger = createLogger({ level: 'info' })
      logger.info('first')
      setTimeout(() => {
        if (${isFreed}) closeSync(1), openSync('${path}', 'w')
        logger.info('second')
        setTimeout(() => process.exit(7), 50)
      }, 50)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'ignore'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    const [code] = await once(child, 'exit')
    t.equal(code, 7)
  }
  t.match(readFileSync(path, 'utf8'), /first.*\n.*second/)
})

t.test('a reader that stands still costs lines, not memory', async t => {
  const script = `
    import { createLogger } from '${new URL('../src/log.ts', import.meta.url).href}'
    const logger = createLogger({ level: 'info' })
    const fill = 'x'.repeat(2 ** 16)
    for (let i = 0; i < 512; i++) logger.info({ fill }, 'line')
    process.stderr.write('logged')
    process.stdin.once('data', () => process.exit())`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stderr, 'data')
  let octets = 0
  child.stdout.on('data', chunk => {
    octets += chunk.length
  })
  child.stdin.write('go')
  await once(child, 'close')
  const mebibytes = octets / 2 ** 20
  t.ok(mebibytes > 8 && mebibytes < 20, `of 32 MiB there were ${mebibytes}`)
})
