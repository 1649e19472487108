import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parseSync } from 'vite'
import { de } from '../../src/console/texts/de/index.ts'
import { en } from '../../src/console/texts/en/index.ts'
import { languageOf } from '../../src/console/texts.ts'
import { ownCollections } from '../../src/service/history/history.ts'
import { collectionNames } from '../../src/store/tables.ts'

const folder = join(import.meta.dirname, '..', '..', 'src', 'console')

type Table = { readonly [key: string]: unknown }

/** Each text of a table by its path, functions with what they make of `‹0›`, `‹1›`. */
function textsOf(table: Table, path = ''): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(table).flatMap(([key, value]): [string, string][] => {
      const here = `${path}${key}`
      if (typeof value === 'string') return [[here, value]]
      if (typeof value === 'function') return [[here, value('‹0›', '‹1›', '‹2›')]]
      return [...textsOf(value as Table, `${here}.`)]
    }),
  )
}

t.test('German has every text, and nothing of its own', async t => {
  const english = textsOf(en)
  const german = textsOf(de)
  t.same([...german.keys()].sort(), [...english.keys()].sort())
  const placesOf = (text: string) => [...text.matchAll(/‹\d›/g)].map(String).sort()
  for (const [path, text] of german) {
    t.not(text.trim(), '', path)
    t.same(placesOf(text), placesOf(english.get(path) ?? ''), `${path} says the same`)
  }
  const isSentence = (text: string) => (text.match(/\p{L}{2,}/gu) ?? []).length > 3
  // Hints are examples.
  const sentences = [...german].filter(([path, text]) => !path.endsWith('Hint') && isSentence(text))
  const untranslated = sentences.filter(([path, text]) => english.get(path) === text)
  t.same(untranslated, [])
})

t.test('what the history shows has a word', async t => {
  // Zones have entries of their own, and the server keeps the others for itself.
  const zoneParts = ['zones', 'recordsets', 'zoneShares']
  const others = collectionNames.filter(
    name => !(zoneParts.includes(name) || ownCollections.has(name)),
  )
  t.same(Object.keys(en.history.collections).sort(), others.sort())
})

t.test('the best language that there is', async t => {
  t.equal(languageOf(['fr', 'de-AT', 'en']), 'de')
  t.equal(languageOf([null, 'EN-gb']), 'en')
  t.equal(languageOf(['fr']), undefined)
})

type Node = { readonly type: string } & Readonly<Record<string, unknown>>

/** Attributes and fields that people read. */
const readNames = [
  ...['label', 'title', 'aria-label', 'alt', 'placeholder', 'hint', 'explain', 'text', 'action'],
  ...['submit', 'cancel', 'name', 'empty'],
]

function isWords(text: string): boolean {
  return /\p{L}{2}.*[ ]\S|^\p{Lu}\p{Ll}+$/u.test(text)
}

/** What a literal says. */
function wordsOf(node: unknown): readonly string[] {
  const { type, value, quasis } = (node ?? {}) as Node
  const parts =
    type === 'TemplateLiteral'
      ? (quasis as { value: { cooked: string } }[]).map(part => part.value.cooked)
      : [type === 'Literal' || type === 'JSXText' ? value : undefined]
  return parts.flatMap(part =>
    typeof part === 'string' && isWords(part.trim()) ? part.trim() : [],
  )
}

/** The literals directly in a node that people read. */
function readIn({ type, name, key, value, expression, callee, arguments: given }: Node) {
  const named = ((name ?? key) as Node | undefined)?.name
  if (type === 'JSXExpressionContainer') return [expression]
  if (type === 'JSXAttribute' || type === 'Property')
    return readNames.includes(String(named)) ? [value] : []
  if (type === 'NewExpression' && String((callee as Node).name).endsWith('Error'))
    return given as unknown[]
  return []
}

/** Words in the source of a page that are not in the table. */
function hardCoded(source: string, file: string): readonly string[] {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const found: string[] = []
  const visit = (child: unknown): void => {
    if (typeof child !== 'object' || child === null) return
    const node = child as Node
    // Names of classes are for the style sheet.
    if (node.type === 'JSXAttribute' && (node.name as Node).name === 'class') return
    if (node.type === 'JSXText') found.push(...wordsOf(node))
    found.push(...readIn(node).flatMap(wordsOf))
    for (const part of Object.values(node)) visit(part)
  }
  visit(program)
  return found
}

t.test('no page has words of its own', async t => {
  const example = `const a = <p title="Two words">Some text {'More text'} {\`and \${b} more\`}</p>
    const c = { label: 'Target', other: 'not read' }
    throw new Error('It failed.')`
  const words = ['Two words', 'Some text', 'More text', 'Target', 'It failed.']
  t.same([...hardCoded(example, 'a.tsx')].sort(), words.sort())
  const allowed = ['Zonewright']
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter(name => /\.tsx?$/.test(name) && !name.startsWith('texts'))) {
    const source = readFileSync(join(folder, file), 'utf8')
    const found = hardCoded(source, file).filter(text => !allowed.includes(text))
    t.same(found, [], file)
  }
})
