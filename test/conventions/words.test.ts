import t from 'tap'
import { readSource, repositoryFiles, type SourceFile } from './source-tree.ts'

/** What does not belong in the repository. Each pattern is written so that it does not match itself. */
const unwanted: readonly [RegExp, string][] = [
  [/\b(?:TOD[O]|FIXM[E]|XX[X])\b/, 'finish it, or say what is missing and why'],
  [
    /\bunimplemente[d]|\bimplemented late[r]\b|\bfor no[w]\b/i,
    'finish it, or say what is missing and why',
  ],
  [/(?:^|[\s"'`(=:])\/(?:wor[k]|roo[t]|hom[e]|User[s])\/[\w.-]/, 'a path of one machine'],
  [/\bregistr[y]\.(?:npm|yarn)|\bnpmmirro[r]\b/i, 'a registry is the reader’s own choice'],
  [
    /\b(?:cl[a]ude|anthr[o]pic|chat[g]pt|l[l]ms?|[A]I session)\b/i,
    'tools are not part of the work',
  ],
]

/** Generated, or not text. */
const isSkipped = (path: string) =>
  /(?:^|\/)package-lock\.json$|\.(?:png|ico|woff2|gz|pcap)$/.test(path)

function unwantedWords({ path, text }: SourceFile): readonly string[] {
  const lines = text.split('\n').entries()
  return [...lines].flatMap(([index, line]) =>
    unwanted
      .filter(([pattern]) => pattern.test(line))
      .map(([, advice]) => `${path}:${index + 1} ${line.trim().slice(0, 80)} (${advice})`),
  )
}

t.test('the check sees each unwanted word and nothing like it', async t => {
  const bad = [
    '// TO' + 'DO: later',
    'good enough for n' + 'ow',
    "cd '/wor" + "k/main'",
    'l' + 'lm',
  ]
  bad.push('https://registr' + 'y.npmjs.org/x', 'is impleme' + 'nted later')
  for (const text of bad) t.equal(unwantedWords({ path: 'a', text }).length, 1, text)
  const good = ['a todo list', 'work/home/root', '/workers/1', 'for nowhere', '/v2/root', 'film']
  for (const text of good) t.same(unwantedWords({ path: 'a', text }), [], text)
})

t.test('no file of the repository holds an unwanted word or path', async t => {
  const files = repositoryFiles().filter(path => !isSkipped(path))
  t.same(files.map(readSource).flatMap(unwantedWords), [])
})
