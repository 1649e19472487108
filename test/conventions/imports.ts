import { posix } from 'node:path'
import { composers, mayImport, packageUsers, pureFolders } from './import-table.ts'
import { maskedCode } from './masked-code.ts'
import type { SourceFile } from './source-tree.ts'

/** An import of one file of src: a path below src, `node:…`, or a package's name. */
export type Import = { readonly from: string; readonly to: string }

const keyword = /\bfrom(?=\s)|\bimport\b/g
const specifier = /^(?:\s+|\(\s*)['"](?<name>[^'"\n]+)['"]/

/** Finds all imports of a file of src, of types too: an arrow in the design is an arrow. */
export function findImports({ path, text }: SourceFile): readonly Import[] {
  const from = path.replace(/^src\//, '')
  return findTargets({ path: from, text }).map(to => ({ from, to }))
}

/** What a file imports: paths seen from where the file's own path starts, and packages. */
export function findTargets({ path, text }: SourceFile): readonly string[] {
  return [...maskedCode(text).matchAll(keyword)]
    .map(match => specifier.exec(text.slice(match.index + match[0].length))?.groups?.name)
    .filter(name => name !== undefined)
    .map(name => targetOf(name, path))
}

/** Says which imports the table does not allow. */
export function forbiddenImports(imports: readonly Import[]): readonly string[] {
  return imports
    .filter(one => !isAllowed(one))
    .map(({ from, to }) => `${from} may not import ${to}`)
}

/** Says which files import themselves by way of others, each circle once. */
export function importCircles(imports: readonly Import[]): readonly string[] {
  const targets = Map.groupBy(imports, ({ from }) => from)
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, way: readonly string[]) => {
    const start = way.indexOf(file)
    if (start >= 0) circles.push([...way.slice(start), file].join(' → '))
    if (start >= 0 || done.has(file)) return
    for (const { to } of targets.get(file) ?? []) visit(to, [...way, file])
    done.add(file)
  }
  for (const file of targets.keys()) visit(file, [])
  return circles
}

function isAllowed({ from, to }: Import): boolean {
  const unit = unitOf(from)
  if (to.startsWith('node:')) return !pureFolders.includes(unit)
  // Tests and scripts stand on src, never the other way round: src is all that is built and shipped.
  if (to.startsWith('../')) return false
  if (!to.endsWith('.ts')) return packageUsers[to]?.includes(unit) ?? false
  if (composers.includes(unit) || unit === unitOf(to)) return true
  return (mayImport[unit] ?? []).some(allowed => to === allowed || to.startsWith(`${allowed}/`))
}

/** The row of the table that a file belongs to. */
function unitOf(path: string): string {
  return path.split('/')[0] ?? ''
}

function targetOf(name: string, from: string): string {
  if (name.startsWith('.')) return posix.join(posix.dirname(from), name)
  if (name.startsWith('node:')) return name
  const depth = name.startsWith('@') ? 2 : 1
  return name.split('/').slice(0, depth).join('/')
}
