import { posix } from 'node:path'
import { composers, layers, mayImport, packageUsers, pureFolders } from './import-table.ts'
import type { SourceFile } from './source-tree.ts'

/** An import of one file of src: a path below src, `node:…`, or a package's name. */
export type Import = { readonly from: string; readonly to: string }

/** A statement, or a call or type in the middle of one. Up to its text there is no other. */
const statement =
  /^\s*(?:import|export)\b[^'"]*?\bfrom ['"](?<from>[^'"\n]+)|\bimport(?: |\()['"](?<name>[^'"\n]+)/gm

/** Finds all imports of a file of src, of types too: an arrow in the design is an arrow. */
export function findImports({ path, text }: SourceFile): readonly Import[] {
  const from = path.replace(/^src\//, '')
  return [...text.matchAll(statement)].map(({ groups }) => ({
    from,
    to: targetOf(groups?.from ?? groups?.name ?? '', from),
  }))
}

/** Says which imports the table does not allow. */
export function forbiddenImports(imports: readonly Import[]): readonly string[] {
  return imports
    .filter(one => !isAllowed(one))
    .map(({ from, to }) => `${from} may not import ${to}`)
}

function isAllowed({ from, to }: Import): boolean {
  const unit = unitOf(from)
  if (to.startsWith('node:')) return !pureFolders.includes(unit)
  // Tests and scripts stand on src, never the other way round: src is all that is built and shipped.
  if (to.startsWith('../')) return false
  if (!to.endsWith('.ts'))
    return (packageUsers[to] ?? []).some(user => from === user || from.startsWith(`${user}/`))
  if (unit === unitOf(to)) return isInward(unit, { from, to })
  if (composers.includes(unit)) return true
  return (mayImport[unit] ?? []).some(allowed => to === allowed || to.startsWith(`${allowed}/`))
}

/** Whether an import within a folder is of the same folder in it, or of one before. */
function isInward(unit: string, { from, to }: Import): boolean {
  const order = layers[unit]
  if (order === undefined) return true
  const layerOf = (path: string) => order.indexOf(path.split('/')[1] ?? '')
  return layerOf(to) !== -1 && layerOf(to) <= layerOf(from)
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
