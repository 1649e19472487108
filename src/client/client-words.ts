// Apart from the commands, so that a server which starts does not load them.

/** The words that the commands of a client begin with. */
export const clientWords: readonly string[] = [
  'zone',
  'dnssec',
  'record',
  'history',
  'diff',
  'undo',
  'project',
  'user',
  'credential',
  'key',
  'import',
  'backup',
  'status',
  'nodes',
  'usage',
  'invoice',
  'request',
  'completion',
]

const optionsWithValue = ['--os-cloud', '--url', '--token', '--config']

/** Whether it is a command of the client, as its first word behind options says. */
export function isClientCommand(argv: readonly string[]): boolean {
  const isWord = (text: string, i: number) =>
    !text.startsWith('-') && !optionsWithValue.includes(argv[i - 1] ?? '')
  return clientWords.includes(argv.find(isWord) ?? '')
}
