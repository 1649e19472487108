import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { adviseHugePages } from '../../../src/transport/threads/huge-pages.ts'

const setting = '/sys/kernel/mm/transparent_hugepage/enabled'
const isOnRequest = existsSync(setting) && readFileSync(setting, 'utf8').includes('[madvise]')
const skip = !isOnRequest && 'this system does not give large pages to who asks'

t.test('memory that is touched after the advice comes in large pages', { skip }, async t => {
  const memory = new SharedArrayBuffer(64 << 20)
  t.ok(await adviseHugePages(memory))
  new Uint8Array(memory).fill(1)
  const [, kilobytes] =
    /^AnonHugePages:\s*(\d+) kB/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8')) ?? []
  t.ok(Number(kilobytes) > 0)
})

t.test('what is smaller than a page is left alone', async t => {
  t.equal(await adviseHugePages(new SharedArrayBuffer(16)), false)
})
