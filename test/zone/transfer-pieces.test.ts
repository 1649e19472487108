import t from 'tap'
import { messagesIn, TransferPieces } from '../../src/zone/transfer-pieces.ts'
import { piecesOf } from '../helpers/transfer.ts'

t.test('messages of any length come out as they were put in', async t => {
  const messages = [0, 1, 12, 65_535, 0, 300, 65_535, 2].map((length, i) =>
    new Uint8Array(length).fill(i + 1),
  )
  t.strictSame([...messagesIn(piecesOf(messages))], messages)
  t.strictSame([...messagesIn(piecesOf([]))], [])
})

t.test('a message is copied, and others may follow', async t => {
  const pieces = new TransferPieces()
  const message = Uint8Array.of(1, 2, 3)
  pieces.add(message)
  const [piece] = pieces.pieces
  t.equal(piece?.buffer.byteLength, 5, 'a single message takes no more memory than it has')
  message.fill(9)
  pieces.add(message)
  t.strictSame([...messagesIn(pieces.pieces)], [Uint8Array.of(1, 2, 3), Uint8Array.of(9, 9, 9)])
})

t.test('very many small messages are few pieces of shared memory', async t => {
  const pieces = piecesOf(Array.from({ length: 100_000 }, () => new Uint8Array(40)))
  t.ok(pieces.length < 30, `${pieces.length}`)
  t.ok(pieces.every(({ buffer }) => buffer instanceof SharedArrayBuffer))
})
