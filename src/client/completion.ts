import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** What may follow a command. */
type Row = {
  /** Its subcommands, or the values of its argument. */
  readonly words: string[]
  /** The long forms of its options. */
  readonly options: string[]
}

type Commands = {
  /** Those that ask a server. */
  readonly program: Command
  /** Those for the server and its files, as `--help` shows them: `store dump <what> [--data-dir …]`. */
  readonly serverUsages: readonly string[]
}

/** A shell script that completes the commands of the program with this name. Files are offered where no words are known. */
export function completionFor(shell: Shell, commands: Commands, name: string): string {
  const rows = [...rowsOf(commands)]
  const withValue = [...new Set([...valueOptions(commands.program), ...serverValues(commands)])]
  if (shell === 'fish') return fishScript(rows, withValue, name)
  return shell === 'zsh' ? zshScript(rows, withValue, name) : bashScript(rows, withValue, name)
}

function bashScript(rows: Rows, withValue: readonly string[], name: string): string {
  return `_${name}() {
  local at='' skip='' word='' subcommands='' options=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${walk(rows, withValue)}
  [[ \${COMP_WORDS[COMP_CWORD]} == -* ]] && subcommands=$options
  COMPREPLY=($(compgen -W "$subcommands" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _${name} -o default ${name}`
}

/** To be sourced after \`compinit\`, or to be a file \`_name\` in a directory of \`fpath\`. */
function zshScript(rows: Rows, withValue: readonly string[], name: string): string {
  return `#compdef ${name}
_${name}() {
  local at='' skip='' word='' subcommands='' options=''
  for word in "\${(@)words[2,CURRENT-1]}"; do
${walk(rows, withValue)}
  [[ $PREFIX == -* ]] && subcommands=$options
  compadd -- \${=subcommands} || _files
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi`
}

/** The body of the loop over the words before the cursor, and what may follow them: the same in bash and zsh. */
function walk(rows: Rows, withValue: readonly string[]): string {
  const paths = rows.flatMap(([path]) => (path === '' ? [] : [`'${keyOf(path)}'`]))
  const cases = rows.map(
    ([path, { words, options }]) =>
      `    '${path}') subcommands='${words.join(' ')}' options='${options.join(' ')}' ;;`,
  )
  return `    if [[ -n $skip ]]; then skip=''; continue; fi
    case $word in
      ${withValue.join('|')}) skip=1 ;;
      -*) ;;
      *) case "$at $word" in
        ${paths.join('|')}) at="\${at:+$at }$word" ;;
      esac ;;
    esac
  done
  [[ -n $skip ]] || case $at in
${cases.join('\n')}
  esac`
}

function fishScript(rows: Rows, withValue: readonly string[], name: string): string {
  const paths = rows.flatMap(([path]) => (path === '' ? [] : [`'${keyOf(path)}'`]))
  const completions = rows.flatMap(([path, { words, options }]) => {
    const here = `complete -c ${name} -n "__${name}_at '${path}'"`
    return [
      ...(words.length === 0 ? [] : [`${here} -f -a '${words.join(' ')}'`]),
      ...options.map(
        option => `${here} -l ${option.slice(2)}${withValue.includes(option) ? ' -r' : ''}`,
      ),
    ]
  })
  return `function __${name}_at
  set -l at ''
  set -l skip no
  for word in (commandline -opc)[2..-1]
    if test $skip = yes
      set skip no
      continue
    end
    switch $word
      case ${withValue.join(' ')}
        set skip yes
      case '-*'
      case '*'
        switch "$at $word"
          case ${paths.join(' ')}
            set at (string trim "$at $word")
        end
    end
  end
  test $skip = no -a "$at" = "$argv[1]"
end
${completions.join('\n')}`
}

type Rows = readonly (readonly [string, Row])[]

/** How the loops know a path: the command so far, a blank, the next word. */
function keyOf(path: string): string {
  return path.includes(' ') ? path : ` ${path}`
}

function rowsOf({ program, serverUsages }: Commands): Map<string, Row> {
  const rows = new Map<string, Row>()
  const everywhere = [...longOptions(program), '--help']
  const add = (command: Command, path: readonly string[]) => {
    const own = command === program ? ['--version'] : longOptions(command)
    rows.set(path.join(' '), {
      words: [
        ...command.commands.map(sub => sub.name()),
        ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
      ],
      options: [...own, ...everywhere],
    })
    for (const sub of command.commands) add(sub, [...path, sub.name()])
  }
  add(program, [])
  for (const usage of serverUsages) {
    const [path = ''] = /^[a-z ]*[a-z]/.exec(usage) ?? []
    if (path === '') continue
    const names = path.split(' ')
    for (const [i, word] of names.entries()) {
      const parent = names.slice(0, i).join(' ')
      const row = rows.get(parent) ?? { words: [], options: ['--help'] }
      if (!row.words.includes(word)) row.words.push(word)
      rows.set(parent, row)
    }
    rows.set(path, {
      words: [],
      options: [...(usage.match(/--[a-z-]+/g) ?? []), '--config', '--help'],
    })
  }
  return rows
}

function longOptions(command: Command): readonly string[] {
  return command.options.flatMap(({ long }) => long ?? [])
}

function valueOptions(command: Command): readonly string[] {
  return [
    ...command.options.flatMap(option =>
      option.long && (option.required || option.optional) ? [option.long] : [],
    ),
    ...command.commands.flatMap(valueOptions),
  ]
}

function serverValues({ serverUsages }: Commands): readonly string[] {
  return serverUsages.flatMap(usage => usage.match(/--[a-z-]+(?= [<…])/g) ?? [])
}
