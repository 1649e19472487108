import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The repository's folder. */
export const root = join(import.meta.dirname, '..', '..')

/** A file as the checks see it, so that they run on made-up ones too. */
export type SourceFile = {
  /** Below the root, with slashes. */
  readonly path: string
  readonly text: string
}

/** Every file that belongs to the repository: tracked, or new and not ignored. */
export function repositoryFiles(): readonly string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate']
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(path => path !== '' && statSync(join(root, path), { throwIfNoEntry: false })?.isFile())
}

/** The files below a folder whose names end so. */
export function readSources(folder: string, extension = '.ts'): readonly SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith(extension))
    .map(path => readSource(`${folder}/${path}`))
}

export function readSource(path: string): SourceFile {
  return { path, text: readFileSync(join(root, path), 'utf8') }
}
