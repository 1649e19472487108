import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Command } from 'commander'
import t, { type Test } from 'tap'
import { completionFor, type Shell } from '../../src/client/completion.ts'
import { serverUsages } from '../../src/config/command-line.ts'

/** What stands before the cursor, and what is offered there: files, if nothing. */
const lines: readonly (readonly [string, readonly string[]])[] = [
  ['', ['zone', 'completion', 'settings', 'check', 'restore', 'store']],
  ['zo', ['zone']],
  ['zone ', ['list', 'create']],
  ['zone cr', ['create']],
  ['--json zone cr', ['create']],
  ['--url zone zone cr', ['create']],
  ['--url http://127.0.0.1:9001 zone cr', ['create']],
  ['zone create example.com --e', ['--email']],
  ['zone create list --js', ['--json']],
  ['zone create --email ops@example.com --em', ['--email']],
  ['zone create zo', []],
  ['zone create --email zo', []],
  ['completion z', ['zsh']],
  ['store d', ['dump']],
  ['store dump --da', ['--data-dir']],
]

function program(): Command {
  const program = new Command('zonewright')
    .option('--url <url>', 'the server')
    .option('--json', 'print JSON')
  const zone = program.command('zone')
  zone.command('list')
  zone.command('create <name>').option('--email <email>', 'of whoever looks after it')
  program
    .command('completion')
    .addArgument(program.createArgument('<shell>').choices(['bash', 'zsh', 'fish']))
  return program
}

/** Prints what a shell offers, with the script in the file `$1`, the words before the cursor from `$2` on. */
const harnesses: Readonly<Record<Shell, { command: readonly string[]; text: string }>> = {
  bash: {
    command: ['bash', '-c'],
    text: `source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _zonewright; echo "\${COMPREPLY[@]}"`,
  },
  zsh: {
    command: ['zsh', '-f', '-c'],
    // Stands for what only a terminal has.
    text: `compdef() { defined=$*; }
compadd() { shift; print -r -- \${(M)@:#$PREFIX*}; }
_files() { :; }
source "$1"; shift
words=("$@"); CURRENT=$#; PREFIX=$words[-1]
[[ $defined == '_zonewright zonewright' ]] && _zonewright`,
  },
  fish: {
    command: ['fish', '-N', '-c'],
    text: 'source $argv[1]; complete -C "$argv[2..]"',
  },
}

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  const { command, text } = harnesses[shell]
  const skip = spawnSync(shell, ['-c', 'true']).error ? `needs ${shell}` : false
  t.test(
    `${shell} completes commands and options, and leaves the rest to files`,
    { skip },
    async t => {
      const script = scriptFile(t, shell)
      for (const [line, expected] of lines) {
        const words = `zonewright ${line}`.split(' ')
        const offered = offers(command, [
          text,
          ...(shell === 'fish' ? [] : [shell]),
          script,
          ...words,
        ])
        const known = offered.filter(word => !word.includes('/'))
        for (const word of expected) t.ok(known.includes(word), `${line}: ${word} in ${offered}`)
        if (expected.length < 2) t.same(known, expected, line)
      }
    },
  )
}

function scriptFile(t: Test, shell: Shell): string {
  const script = completionFor(shell, { program: program(), serverUsages }, 'zonewright')
  return join(t.testdir({ script: `${script}\n` }), 'script')
}

function offers(command: readonly string[], args: readonly string[]): readonly string[] {
  const [file = '', ...options] = command
  // Offers of files are those of an empty folder.
  const { stdout, stderr } = spawnSync(file, [...options, ...args], {
    encoding: 'utf8',
    cwd: t.testdir(),
    env: { ...process.env, HOME: t.testdirName },
  })
  t.equal(stderr, '', args.join(' '))
  return stdout.split(/\s+/).filter(word => word !== '')
}
