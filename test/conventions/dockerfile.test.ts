import t from 'tap'
import { serverEnvironment, serverFlags } from '../../scripts/run/paths.mjs'
import { readSource, repositoryFiles } from './source-tree.ts'

type Context = {
  /** Files of the repository. */
  readonly files: readonly string[]
  /** Lines of .dockerignore: the last that fits decides. */
  readonly ignore: readonly string[]
}

/** Names what the image is told to copy and cannot: it does not exist, is kept from the builder, or comes from a
 *  stage that is not there. */
function copyDefects(dockerfile: string, { files, ignore }: Context): readonly string[] {
  const lines = dockerfile.replaceAll('\\\n', ' ').split('\n')
  const stages = lines.flatMap(line => /^FROM \S+ AS (\S+)/.exec(line)?.[1] ?? [])
  const sent = files.filter(path => !isIgnored(path, ignore))
  return lines.flatMap(line => {
    const copy = /^COPY (?:--from=(?<stage>\S+) )?(?<paths>.+)$/.exec(line)?.groups
    if (copy === undefined) return []
    if (copy.stage !== undefined)
      return stages.includes(copy.stage) ? [] : [`no stage ${copy.stage}`]
    const sources = (copy.paths ?? '').split(/\s+/).slice(0, -1)
    const isSent = (source: string) =>
      sent.some(path => path === source || path.startsWith(`${source.replace(/\/$/, '')}/`))
    return sources.filter(source => !isSent(source)).map(source => `no ${source}`)
  })
}

/** As Docker reads it, for the patterns in use: one star for all, a name for a path and what is below it, and two
 *  stars before a name for any depth. */
function isIgnored(path: string, ignore: readonly string[]): boolean {
  const last = ignore.findLast(line => fits(path, line.replace(/^!/, '')))
  return last !== undefined && !last.startsWith('!')
}

function fits(path: string, pattern: string): boolean {
  if (pattern === '*') return true
  const [, anyDepth = '', name = ''] = /^(\*\*\/)?(.*)$/.exec(pattern) ?? []
  const source = name.replace(/[.+^$()[\]{}|]/g, '\\$&').replaceAll('*', '[^/]*')
  return new RegExp(`^${anyDepth && '(?:.*/)?'}${source}(?:/|$)`).test(path)
}

const ignore = ['*', '!src', '!package.json', 'src/secret', '**/*.test.ts']

t.test('the check sees what cannot be copied', async t => {
  const files = ['package.json', 'src/a.ts', 'src/secret/b.ts', 'docs/c.md', 'src/d/e.test.ts']
  const dockerfile = `FROM node AS build
COPY package.json gone.json ./
COPY src/ src/
COPY src/secret docs/ \\
  src/d ./
FROM node
COPY --from=build /app/dist ./
COPY --from=biuld /app/dist ./`
  t.same(copyDefects(dockerfile, { files, ignore }), [
    'no gone.json',
    'no src/secret',
    'no docs/',
    'no src/d',
    'no stage biuld',
  ])
})

t.test('all that the Dockerfile copies is there and sent to the builder', async t => {
  const ignoreFile = readSource('.dockerignore').text
  const ignore = ignoreFile.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  t.same(copyDefects(readSource('Dockerfile').text, { files: repositoryFiles(), ignore }), [])
})

t.test('the image listens on every interface and keeps its data in the volume', async t => {
  const { text } = readSource('Dockerfile')
  t.match(text, 'ZONEWRIGHT_API_LISTEN=0.0.0.0:9001')
  t.match(text, 'ZONEWRIGHT_DNS_LISTEN=0.0.0.0:53')
  const [, dataDir] = /ZONEWRIGHT_DATA_DIR=(\S+)/.exec(text) ?? []
  t.match(text, `VOLUME ${dataDir}\n`)
  t.match(text, /^USER [1-9]\d*:[1-9]\d*$/m)
})

t.test('the image and the package run Node as npm start does', async t => {
  const flags = serverFlags.join(' ')
  t.match(
    readSource('Dockerfile').text,
    `ENTRYPOINT ["node", ${JSON.stringify(serverFlags).slice(1, -1)}, "dist/main.js"]`,
  )
  t.match(
    readSource('scripts/package/zonewright.sh').text,
    `/node ${flags} /usr/lib/zonewright/dist/main.js`,
  )
  for (const [name, value] of Object.entries(serverEnvironment)) {
    t.match(readSource('Dockerfile').text, `  ${name}=${value}\n`)
    t.match(readSource('scripts/package/zonewright.sh').text, `export ${name}=${value}\n`)
  }
})
