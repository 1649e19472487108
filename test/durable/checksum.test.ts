import t from 'tap'
import { checksum } from '../../src/durable/checksum.ts'

t.test('a checksum is eight digits, of a text as of its UTF-8', t => {
  t.equal(checksum('123456789'), 'cbf43926', 'the check value of CRC-32')
  t.equal(checksum('é'), checksum(Buffer.from('é')))
  t.equal(checksum(''), '00000000')
  t.end()
})
