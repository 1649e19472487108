import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { BoundedFile } from '../../src/querylog/bounded-file.ts'
import { dnstapFrame, startFrame, stopFrame } from '../../src/querylog/dnstap.ts'
import { queryFor } from '../helpers/ask.ts'
import { askOverTcp, askOverUdp } from '../helpers/query-load.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

const failed = (error: unknown) => {
  throw error
}

t.test('a file that is full becomes the old one, each with its begin and end', async t => {
  const path = join(t.testdir({}), 'queries')
  const ends = { head: Buffer.from('<'), tail: Buffer.from('>') }
  const file = new BoundedFile({ path, maxOctets: 5, ...ends, onFailed: failed })
  for (const text of ['abc', 'def', 'ghi']) file.write(Buffer.from(text))
  await file.close()
  t.equal(readFileSync(`${path}.old`, 'latin1'), '<abcdef>')
  t.equal(readFileSync(path, 'latin1'), '<ghi>')
  file.write(Buffer.from('x'))
  t.equal(file.lostCount, 1)
})

t.test(
  'a file with room is continued, and one that is full or lacks its tail becomes the old one',
  async t => {
    const path = join(t.testdir({}), 'queries')
    const write = async (text: string, ends: { head?: Buffer; tail?: Buffer } = {}) => {
      const file = new BoundedFile({ path, maxOctets: 6, ...ends, onFailed: failed })
      file.write(Buffer.from(text))
      await file.close()
    }
    await write('a\n')
    await write('b\nc')
    await write('d\n')
    t.equal(readFileSync(path, 'latin1'), 'a\nb\nc\nd\n', 'a torn line ends')
    await write('e\n')
    t.equal(readFileSync(`${path}.old`, 'latin1'), 'a\nb\nc\nd\n')
    const ends = { head: Buffer.from('<'), tail: Buffer.from('>') }
    await write('f', ends)
    t.equal(readFileSync(`${path}.old`, 'latin1'), 'e\n')
    await write('g', ends)
    t.equal(readFileSync(path, 'latin1'), '<fg>')
  },
)

t.test('what others cut off of a file is left out', async t => {
  const path = join(t.testdir({}), 'queries')
  const file = new BoundedFile({ path, maxOctets: 50, onFailed: failed })
  file.write(Buffer.from('a\n'))
  await until(() => readFileSync(path, 'latin1') === 'a\n')
  truncateSync(path)
  file.write(Buffer.from('b\n'))
  await file.close()
  t.equal(readFileSync(path, 'latin1'), 'b\n')
})

t.test('a file that cannot be written to is said once, and tried again', async t => {
  const errors: unknown[] = []
  const folder = join(t.testdir({}), 'missing')
  const path = join(folder, 'queries')
  const file = new BoundedFile({
    path,
    maxOctets: 5,
    retryMs: 1,
    onFailed: error => errors.push(error),
  })
  file.write(Buffer.from('x'))
  t.equal(file.lostCount, 1)
  mkdirSync(folder)
  await until(() => existsSync(path))
  file.write(Buffer.from('y'))
  await file.close()
  t.match(errors, [{ code: 'ENOENT' }])
  t.equal(errors.length, 1)
  t.equal(readFileSync(path, 'latin1'), 'y')
})

t.test('a file that is renamed or removed is begun again', async t => {
  const folder = t.testdir({})
  const path = join(folder, 'queries')
  const file = new BoundedFile({ path, maxOctets: 50, retryMs: 1, onFailed: failed })
  file.write(Buffer.from('a'))
  renameSync(path, join(folder, 'rotated'))
  await until(() => existsSync(path))
  file.write(Buffer.from('b'))
  rmSync(path)
  await until(() => existsSync(path))
  file.write(Buffer.from('c'))
  writeFileSync(`${path}.new`, 'theirs')
  renameSync(`${path}.new`, path)
  await until(() => readFileSync(path, 'latin1') === 'theirs\n')
  file.write(Buffer.from('d'))
  await file.close()
  t.equal(readFileSync(join(folder, 'rotated'), 'latin1'), 'a')
  t.equal(readFileSync(path, 'latin1'), 'theirs\nd')
})

t.test('what is not a regular file, such as /dev/stdout, is left alone', async t => {
  const path = join(t.testdir({ target: '' }), 'queries')
  symlinkSync('target', path)
  const errors: unknown[] = []
  const file = new BoundedFile({ path, maxOctets: 50, onFailed: error => errors.push(error) })
  await file.close()
  t.match(errors, [/queries is not a regular file/])
  t.equal(readlinkSync(path), 'target')
})

t.test('frames are those of dnstap.proto and Frame Streams', async t => {
  const content = Buffer.from('protobuf:dnstap.Dnstap').toString('hex')
  t.equal(startFrame().toString('hex'), `0000000000000022000000020000000100000016${content}`)
  t.equal(stopFrame().toString('hex'), '000000000000000400000003')
  const query = {
    weight: 0,
    rules: 1,
    transport: 'tcp' as const,
    zoneNumber: undefined,
    rcode: 0,
    atMillis: 300_500,
    client: Uint8Array.of(192, 0, 2, 1),
    request: Uint8Array.of(1, 2),
    response: new Uint8Array(200).fill(7),
    sentOctets: 200,
  }
  const message = [
    '0802',
    '1802',
    '1001',
    '2204c0000201',
    '40ac02',
    '4d0065cd1d',
    '52020102',
    '60ac02',
    '6d0065cd1d',
    `72c801${'07'.repeat(200)}`,
  ].join('')
  const frame = `0a0169120176${'72'}${'eb01'}${message}7801`
  const octets = dnstapFrame(query, query.client, { identity: 'i', version: 'v' })
  t.equal(octets.toString('hex'), `${(frame.length / 2).toString(16).padStart(8, '0')}${frame}`)
})

t.test('a server writes what is asked, and nothing of who asked but the network', async t => {
  const folder = t.testdir({})
  const [lines, dnstap] = [join(folder, 'queries.log'), join(folder, 'queries.tap')]
  const server = await startWholeServer(t, {
    dataDirectory: serverFolder(t),
    environment: {
      ZONEWRIGHT_QUERY_LOG: lines,
      ZONEWRIGHT_DNSTAP: dnstap,
      ZONEWRIGHT_QUERY_ADDRESSES: 'network',
    },
  })
  const [dns] = server.app.dns
  if (dns === undefined) throw new Error('it listens')
  await server.admin.post('/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  const { octets } = await askOverUdp(dns, [queryFor('WWW.example.com. MX')])
  await askOverTcp(dns, [queryFor('elsewhere.test. TYPE65280')])
  await server.app.close()
  const written = readFileSync(lines, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  t.equal(written.length, 2)
  t.match(
    written.find(({ transport }) => transport === 'udp'),
    {
      client: '127.0.0.0',
      name: 'www.example.com.',
      type: 'MX',
      class: 1,
      rcode: 'NXDOMAIN',
      octets,
      zone: 'example.com.',
    },
  )
  t.match(
    written.find(({ transport }) => transport === 'tcp'),
    {
      type: 'TYPE65280',
      rcode: 'REFUSED',
      zone: undefined,
    },
  )
  const tap = readFileSync(dnstap)
  t.ok(tap.subarray(0, startFrame().length).equals(startFrame()))
  t.ok(tap.subarray(-stopFrame().length).equals(stopFrame()))
})
