import t from 'tap'
import { parseName } from '../../../../src/dns/name.ts'
import { parseNameOfFile } from '../../../../src/dns/rdata/fields/name.ts'

t.test(
  'in a zone file a dollar of a name is escaped, or it is left over of a template',
  async t => {
    const origin = parseName('example.')
    for (const raw of ['$', 'a$', 'mx$.example.', String.raw`a\\$`, String.raw`\$$`]) {
      t.throws(() => parseNameOfFile(raw, origin), { name: 'FormatError', message: /dollar/ }, raw)
    }
    t.equal(parseNameOfFile(String.raw`a\$`, origin), parseName(String.raw`a\$.example.`))
    t.equal(parseNameOfFile(String.raw`\\\$.`, undefined), parseName(String.raw`\\\036.`))
  },
)
