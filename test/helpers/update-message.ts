import { classes, opcodes, types } from '../../src/dns/codes.ts'
import { encodeMessage, type ResourceRecord } from '../../src/dns/message.ts'
import { parseName } from '../../src/dns/name.ts'
import { parseRdata, typeCode } from '../../src/dns/rdata/index.ts'

// UPDATE messages, a line a record: `www.example.com. 300 A 192.0.2.1` adds or compares with TTL 0; `ANY` or `NONE` behind the
// name instead of a TTL is the class, with or without a value.

export type UpdateLines = {
  readonly zone?: string
  readonly prerequisites?: readonly string[]
  readonly changes?: readonly string[]
  readonly id?: number
}

export function updateMessage({
  zone = 'example.com.',
  prerequisites = [],
  changes = [],
  id = 0x1234,
}: UpdateLines): Uint8Array {
  return encodeMessage({
    header: { id, flags: opcodes.update << 11 },
    questions: [{ name: parseName(zone), type: types.SOA, class: classes.in }],
    answers: prerequisites.map(recordOf),
    authorities: changes.map(recordOf),
    additionals: [],
  })
}

function recordOf(line: string): ResourceRecord {
  const [owner = '', second = '', mnemonic = '', ...rest] = line.split(' ')
  const value = rest.join(' ')
  const type = mnemonic === 'ANY' ? types.ANY : (typeCode(mnemonic) ?? 0)
  const isClass = second === 'ANY' || second === 'NONE'
  const updateClass = second === 'ANY' ? classes.any : classes.none
  return {
    owner: parseName(owner),
    type,
    class: isClass ? updateClass : classes.in,
    ttlSeconds: isClass ? 0 : Number(second),
    rdata: value === '' ? new Uint8Array() : parseRdata(type, value),
  }
}
