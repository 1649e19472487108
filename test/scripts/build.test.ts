import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { copyAssets } from '../../scripts/run/build.mjs'

t.test('what is served as it is goes along; sources and folder pages stay', async t => {
  const folder = t.testdir({
    src: {
      'main.ts': '',
      api: { 'README.md': '', 'server.ts': '', console: { 'index.html': '', 'console.js': '' } },
    },
  })
  copyAssets(join(folder, 'src'), join(folder, 'dist'))
  const copied = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })
  t.same(copied.filter(path => path.includes('.')).sort(), [
    'api/console/console.js',
    'api/console/index.html',
  ])
})
