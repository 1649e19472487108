import { posix } from 'node:path'
import t from 'tap'
import { readSources, repositoryFiles, type SourceFile } from './source-tree.ts'

/** What is wrong with the folder pages: one is missing, lacks its decisions, or names a file that is gone. */
function readmeDefects(
  paths: readonly string[],
  readmes: readonly SourceFile[],
): readonly string[] {
  const folders = new Set(paths.flatMap(path => /^src\/[^/]+(?=\/)/.exec(path) ?? []))
  const missing = [...folders].filter(
    folder => !readmes.some(({ path }) => path === `${folder}/README.md`),
  )
  return [
    ...missing.map(folder => `${folder} has no README.md`),
    ...readmes
      .filter(({ path, text }) => path.split('/').length === 3 && !/^## Decisions$/m.test(text))
      .map(({ path }) => `${path} has no Decisions`),
    ...readmes.flatMap(readme => namesOfNothing(readme, paths)),
  ]
}

/** A name in backquotes that ends in .ts must be a file: below the page's folder, below src, or below the root. */
function namesOfNothing({ path, text }: SourceFile, paths: readonly string[]): readonly string[] {
  const names = [...text.matchAll(/`(?<name>[\w./-]+\.ts)`/g)].map(
    match => match.groups?.name ?? '',
  )
  const roots = [posix.dirname(path), 'src', '.']
  const isThere = (name: string) =>
    roots.some(root => paths.includes(posix.join(root, name))) ||
    paths.some(one => one.startsWith(`${posix.dirname(path)}/`) && one.endsWith(`/${name}`))
  return names
    .filter(name => !isThere(name))
    .map(name => `${path} names ${name}, which does not exist`)
}

t.test('the check sees a missing page, missing decisions and a stale name', async t => {
  const paths = ['src/a/a.ts', 'src/b/deep/b.ts', 'src/c.ts']
  const readmes = [
    { path: 'src/b/README.md', text: '`b.ts` `deep/b.ts` `c.ts` `gone.ts` `*.ts`' },
    { path: 'src/b/deep/README.md', text: '`b.ts` `went.ts`' },
  ]
  t.same(readmeDefects(paths, readmes), [
    'src/a has no README.md',
    'src/b/README.md has no Decisions',
    'src/b/README.md names gone.ts, which does not exist',
    'src/b/deep/README.md names went.ts, which does not exist',
  ])
})

t.test('every folder of src has a page that is true about its files', async t => {
  t.same(readmeDefects(repositoryFiles(), readSources('src', 'README.md')), [])
})
