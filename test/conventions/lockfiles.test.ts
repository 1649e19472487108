import { dirname } from 'node:path'
import t from 'tap'
import { readSource, repositoryFiles, type SourceFile } from './source-tree.ts'

type LockedPackage = {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly hasInstallScript?: boolean
}

/** What would make an install differ from machine to machine, or `npm ci` refuse. */
function lockfileDefects({ path, text }: SourceFile): readonly string[] {
  const packages: Record<string, LockedPackage> = JSON.parse(text).packages
  return Object.entries(packages).flatMap(([place, entry]) => {
    const name = `${path} ${place}`
    const wanted = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
    const missing = wanted.filter(dependency => !isLocked(packages, place, dependency))
    return [
      ...(entry.resolved === undefined ? [] : [`${name} names a registry`]),
      ...(place !== '' && entry.integrity === undefined ? [`${name} has no integrity`] : []),
      ...missing.map(dependency => `${name} needs ${dependency}, which is not locked`),
    ]
  })
}

/** Looks where Node would: below the package itself, then in each folder above. */
function isLocked(packages: Record<string, LockedPackage>, place: string, name: string): boolean {
  for (let folder = place; ; folder = dirname(folder)) {
    const prefix = folder === '' || folder === '.' ? '' : `${folder}/`
    if (`${prefix}node_modules/${name}` in packages) return true
    if (prefix === '') return false
  }
}

t.test('the check sees a lockfile that is not whole', async t => {
  const packages = {
    '': { dependencies: { a: '1' } },
    'node_modules/a': {
      integrity: 'x',
      dependencies: { b: '1' },
      optionalDependencies: { c: '1' },
    },
    'node_modules/a/node_modules/b': { resolved: 'https://example.com/b.tgz' },
  }
  t.same(lockfileDefects({ path: 'lock', text: JSON.stringify({ packages }) }), [
    'lock node_modules/a needs c, which is not locked',
    'lock node_modules/a/node_modules/b names a registry',
    'lock node_modules/a/node_modules/b has no integrity',
  ])
})

for (const path of repositoryFiles().filter(path => /(?:^|\/)package-lock\.json$/.test(path))) {
  t.test(`${path} is whole and names no registry`, async t => {
    t.same(lockfileDefects(readSource(path)), [])
  })
}

t.test('every direct dependency is pinned to one version', async t => {
  const files = repositoryFiles().filter(path => /(?:^|\/)package\.json$/.test(path))
  for (const path of files) {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      readSource(path).text,
    )
    const versions = Object.entries({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    })
    t.same(
      versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(String(version))),
      [],
      path,
    )
  }
})
