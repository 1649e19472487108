import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** All commands with the words that may follow each: its subcommands and options. */
function wordsAfter(command: Command, path: readonly string[] = []): readonly [string, string][] {
  const names = command.commands.map(sub => sub.name())
  const options = command.options.map(({ long }) => long ?? '').filter(long => long !== '')
  return [
    [path.join(' '), [...names, ...options, '--help'].join(' ')],
    ...command.commands.flatMap(sub => wordsAfter(sub, [...path, sub.name()])),
  ]
}

/** A shell script that completes the commands of the program with this name. */
export function completionFor(shell: Shell, program: Command, name: string): string {
  const rows = wordsAfter(program)
  if (shell === 'fish') {
    return rows
      .map(([path, words]) => {
        const seen = path === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${path}`
        const all = path.split(' ').filter(Boolean)
        const condition =
          all.length < 2
            ? seen
            : all.map(word => `__fish_seen_subcommand_from ${word}`).join('; and ')
        return `complete -c ${name} -f -n '${condition}' -a '${words}'`
      })
      .join('\n')
  }
  const cases = rows.map(([path, words]) => `    '${path}') words='${words}' ;;`).join('\n')
  const script = `_${name}() {
  local path= word words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  case $path in
${cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _${name} -o default ${name}`
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script
}
