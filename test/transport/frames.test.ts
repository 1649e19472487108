import fc from 'fast-check'
import t from 'tap'
import { FrameReader } from '../../src/transport/frames.ts'

function frame(message: Uint8Array): Uint8Array {
  return Uint8Array.from([message.length >> 8, message.length & 0xff, ...message])
}

function takeAll(frames: FrameReader): Uint8Array[] {
  const messages: Uint8Array[] = []
  for (let message = frames.next(); message !== undefined; message = frames.next()) {
    messages.push(Uint8Array.from(message))
  }
  return messages
}

function hex(messages: readonly Uint8Array[]): string {
  return messages.map(message => Buffer.from(message).toString('hex')).join(' ')
}

t.test('several messages in one segment come out one by one', async t => {
  const frames = new FrameReader()
  const messages = [Uint8Array.of(1, 2, 3), Uint8Array.of(), Uint8Array.of(9)]
  frames.push(Uint8Array.from(messages.flatMap(message => [...frame(message)])))
  t.strictSame(takeAll(frames), messages)
  t.notOk(frames.isInsideMessage)
})

t.test('a message is the same wherever its two segments meet', async t => {
  const messages = [Uint8Array.from({ length: 300 }, (_, i) => i & 0xff), Uint8Array.of(7)]
  const octets = Uint8Array.from(messages.flatMap(message => [...frame(message)]))
  const wrongCuts: number[] = []
  for (let cut = 0; cut <= octets.length; cut += 1) {
    const frames = new FrameReader()
    frames.push(octets.subarray(0, cut))
    const first = takeAll(frames)
    frames.push(octets.subarray(cut))
    const isRight = hex([...first, ...takeAll(frames)]) === hex(messages)
    if (!isRight || frames.isInsideMessage) wrongCuts.push(cut)
  }
  t.strictSame(wrongCuts, [])
})

t.test('between messages it is not inside one, in the midst of one it is', async t => {
  const frames = new FrameReader()
  const octets = frame(Uint8Array.of(1, 2))
  const insides: boolean[] = []
  for (const octet of octets) {
    frames.push(Uint8Array.of(octet))
    takeAll(frames)
    insides.push(frames.isInsideMessage)
  }
  t.strictSame(insides, [true, true, true, false])
})

t.test('any messages come out the same however the stream is cut', async t => {
  const messages = fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 12 })
  const cuts = fc.array(fc.nat(2000), { maxLength: 20 })
  const property = fc.property(messages, cuts, (wanted, cutsAt) => {
    const octets = Uint8Array.from(wanted.flatMap(one => [...frame(one)]))
    const frames = new FrameReader()
    const taken: Uint8Array[] = []
    let from = 0
    for (const cut of [...cutsAt, octets.length].sort((a, b) => a - b)) {
      const to = Math.min(cut, octets.length)
      frames.push(octets.subarray(from, to))
      taken.push(...takeAll(frames))
      from = to
    }
    return hex(taken) === hex(wanted)
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 100 }))
})

t.test('taken together, and some of them put back, messages come out the same', async t => {
  const messages = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 })
  const cuts = fc.array(fc.nat(2000), { maxLength: 6 })
  const keeps = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1 })
  const property = fc.property(messages, cuts, keeps, (wanted, cutsAt, keptCounts) => {
    const octets = Uint8Array.from(wanted.flatMap(one => [...frame(one)]))
    const frames = new FrameReader()
    const into = Array.from({ length: 4 }, () => new Uint8Array())
    const taken: Uint8Array[] = []
    let [from, turn] = [0, 0]
    for (const cut of [...cutsAt, octets.length].sort((a, b) => a - b)) {
      const to = Math.min(cut, octets.length)
      frames.push(octets.subarray(from, to))
      for (let count = frames.take(into); count > 0; count = frames.take(into)) {
        const kept = Math.min(count, keptCounts[turn % keptCounts.length] ?? 1)
        turn += 1
        for (const message of into.slice(0, kept)) taken.push(Uint8Array.from(message))
        if (kept < count) frames.putBack(into[kept] as Uint8Array)
      }
      from = to
    }
    return hex(taken) === hex(wanted) && !frames.isInsideMessage
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 200 }))
})

t.test('the longest message arrives whole, octet by octet', async t => {
  const message = Uint8Array.from({ length: 0xffff }, (_, i) => (i * 7) & 0xff)
  const frames = new FrameReader()
  const taken: Uint8Array[] = []
  for (const octet of frame(message)) {
    frames.push(Uint8Array.of(octet))
    taken.push(...takeAll(frames))
  }
  t.strictSame(taken, [message])
})
