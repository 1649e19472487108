import t from 'tap'
import { mayImport } from './import-table.ts'
import { findImports, forbiddenImports } from './imports.ts'
import { readSources, type SourceFile } from './source-tree.ts'

const imports = readSources('src').flatMap(findImports)

function problemsOf(...files: SourceFile[]) {
  return forbiddenImports(files.flatMap(findImports))
}

t.test('every way to import is found', async t => {
  const text = `
    import a from 'express'
    import type { B } from "../zone/zone.ts" // from 'nowhere'
    import {
      c,
    } from './c.ts'
    import 'pkg/deep.js'
    export { d } from '@scope/name/d'
    const text = "from 'nowhere'", list = Array.from('x')
    const e = await import('node:fs')
    let f: typeof import('../../up.ts')`
  const found = findImports({ path: 'src/dns/rdata/x.ts', text }).map(({ to }) => to)
  t.same(found, [
    'express',
    'dns/zone/zone.ts',
    'dns/rdata/c.ts',
    'pkg',
    '@scope/name',
    'node:fs',
    'up.ts',
  ])
})

t.test('the check sees what the table forbids', async t => {
  t.same(
    problemsOf(
      { path: 'src/dns/x.ts', text: "import { z } from '../zone/zone.ts'\nimport 'node:crypto'" },
      { path: 'src/api/x.ts', text: "import { s } from '../store/lowdb-store.ts'\nimport 'lowdb'" },
      {
        path: 'src/service/rules/x.ts',
        text: "import 'left-pad'\nimport './y.ts'\nimport '../listing/y.ts'\nimport '../zones/y.ts'",
      },
      {
        path: 'src/jobs/x.ts',
        text: "import '../transport/outbound/a.ts'\nimport '../transport/udp.ts'",
      },
      {
        path: 'src/app/app.ts',
        text: "import '../store/lowdb-store.ts'\nimport 'express'\nimport '../../test/helpers/a.ts'",
      },
    ),
    [
      'dns/x.ts may not import zone/zone.ts',
      'dns/x.ts may not import node:crypto',
      'api/x.ts may not import store/lowdb-store.ts',
      'api/x.ts may not import lowdb',
      'service/rules/x.ts may not import left-pad',
      'service/rules/x.ts may not import service/zones/y.ts',
      'jobs/x.ts may not import transport/udp.ts',
      'app/app.ts may not import express',
      'app/app.ts may not import ../test/helpers/a.ts',
    ],
  )
})

t.test('src imports only what the design allows', async t => {
  t.same(forbiddenImports(imports), [])
})

t.test('every row of the table is about something that exists', async t => {
  const units = new Set(readSources('src').map(({ path }) => path.split('/')[1]))
  t.same(
    Object.keys(mayImport).filter(unit => !units.has(unit)),
    [],
  )
})
