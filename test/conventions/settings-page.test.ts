import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { type Setting, settings } from '../../src/config/settings.ts'

// The table of docs/settings.md is made of the settings that the server reads. With WRITE_PAGES=1 it is written into the page.

const page = fileURLToPath(new URL('../../docs/settings.md', import.meta.url))

function tableOf(all: Readonly<Record<string, Setting>>): string {
  const rows = Object.entries(all).map(([name, { fallback = '', expects, meaning }]) => {
    const cells = [`\`${name}\``, fallback && `\`${fallback}\``, meaning, expects]
    return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return ['| Setting | Default | Meaning | Value |', '|---|---|---|---|', ...rows, ''].join('\n')
}

/** A page with another table of settings. */
function withTable(text: string, table: string): string {
  return text.replace(/^\| Setting \|.*\n(?:\|.*\n)*/m, () => table)
}

t.test('a page that lacks a setting, or says another default, is not the page', async t => {
  const one = { ONE: { schema: {}, fallback: '1', expects: 'a number', meaning: 'the first' } }
  const text = `before\n\n${tableOf(one)}\nbehind\n`
  t.match(text, '| `ONE` | `1` | the first | a number |')
  t.equal(withTable(text, tableOf(one)), text)
  t.not(withTable(text, tableOf({ ...one, TWO: one.ONE })), text)
  t.not(withTable(text, tableOf({ ONE: { ...one.ONE, fallback: '2' } })), text)
})

t.test('docs/settings.md has each setting as the server reads it', async t => {
  const wanted = withTable(readFileSync(page, 'utf8'), tableOf(settings))
  if (process.env.WRITE_PAGES === '1') writeFileSync(page, wanted)
  t.equal(readFileSync(page, 'utf8'), wanted, 'WRITE_PAGES=1 npm test -- settings-page writes it')
})
