import t from 'tap'
import { withoutUserInfo } from '../../src/config/url.ts'

t.test('names and passwords of all URLs in a text go, and nothing else', async t => {
  for (const [text, shown] of [
    ['http://host/a@b', 'http://host/a@b'],
    ['http://user:word@host/', 'http://host/'],
    ['http://user:w@rd@host/path', 'http://host/path'],
    ['http://a:b@c/,https://d@e/', 'http://c/,https://e/'],
    ['user:word@host', 'user:word@host'],
  ] as const) {
    t.equal(withoutUserInfo(text), shown, text)
  }
})
