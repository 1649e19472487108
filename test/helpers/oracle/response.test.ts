import t from 'tap'
import { rcodes, types } from '../../../src/dns/codes.ts'
import { parseName } from '../../../src/dns/name.ts'
import type { Rrset } from '../../../src/zone/rrset.ts'
import { type AskOptions, queryFor, replyFrom } from '../ask.ts'
import { type Query, readQuery } from './query.ts'
import { Response } from './response.ts'

const owner = parseName('www.example.')

function query(options: AskOptions = {}): Query {
  const found = readQuery(queryFor('www.example. A', options))
  if (found === undefined) throw new Error('the query could not be read')
  return found
}

function addresses(count: number): Rrset {
  const rdatas = Array.from({ length: count }, (_, i) => Uint8Array.from([192, 0, 2, i]))
  return { type: types.A, ttlSeconds: 60, rdatas }
}

function respondWith(limitOctets: number, options?: AskOptions): Response {
  return new Response(query(options), new Uint8Array(2000), limitOctets)
}

t.test('counts go to the section that was put', async t => {
  const response = respondWith(512)
  response.putRequired('answer', owner, addresses(2))
  response.putRequired('authority', owner, addresses(1))
  response.putOptional('additional', owner, addresses(3))
  const reply = replyFrom(response.finish())
  t.same([reply.answer.length, reply.authority.length, reply.additional.length], [2, 1, 3])
})

t.test('an optional RRset that does not fit leaves no trace', async t => {
  const response = respondWith(512)
  t.equal(response.putOptional('answer', owner, addresses(100)), false)
  t.equal(response.isTruncated, false)
  t.equal(response.putOptional('answer', owner, addresses(1)), true)
  t.same(replyFrom(response.finish()).answer, ['www.example. 60 A 192.0.2.0'])
})

t.test('a required RRset that does not fit sets TC and ends the response', async t => {
  const response = respondWith(512)
  response.putRequired('answer', owner, addresses(100))
  t.equal(response.isTruncated, true)
  t.equal(response.putOptional('additional', owner, addresses(1)), false)
  const reply = replyFrom(response.finish())
  t.equal(reply.flags, 'tc')
  t.same(reply.additional, [])
})

t.test('the last octet may be used, and with OPT its room is kept free', async t => {
  const headOctets = 12 + 13 + 4
  const recordOctets = 16
  t.equal(respondWith(headOctets + recordOctets).putOptional('answer', owner, addresses(1)), true)
  t.equal(
    respondWith(headOctets + recordOctets - 1).putOptional('answer', owner, addresses(1)),
    false,
  )
  const full = headOctets + recordOctets + 11
  const response = respondWith(full, { edns: {} })
  t.equal(response.putOptional('answer', owner, addresses(1)), true)
  t.equal(response.finish().length, full)
  t.equal(respondWith(full - 1, { edns: {} }).putOptional('answer', owner, addresses(1)), false)
})

t.test('an rcode above 15 is split between header and OPT', async t => {
  const response = respondWith(512, { edns: {} })
  response.rcode = rcodes.badVers
  const octets = response.finish()
  t.equal((octets[3] ?? 0) & 0x0f, 0)
  t.equal(replyFrom(octets).rcode, 'BADVERS')
})

t.test('a buffer that is used again has nothing left of the response before', async t => {
  const buffer = new Uint8Array(512).fill(0xff)
  const first = new Response(query(), buffer, 512)
  first.putRequired('answer', owner, addresses(4))
  const long = first.finish().slice()
  const second = new Response(query({ id: 9 }), buffer, 512)
  const short = second.finish()
  t.ok(short.length < long.length)
  t.same(replyFrom(short).answer, [])
})

t.test('a limit beyond the buffer is the end of the buffer', async t => {
  const response = new Response(query(), new Uint8Array(60), 512)
  t.equal(response.putOptional('answer', owner, addresses(3)), false)
  t.equal(response.putOptional('answer', owner, addresses(1)), true)
})
