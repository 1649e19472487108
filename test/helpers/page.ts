import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { freePort } from './free-port.ts'

// A page whose console blocks are run: `$ ` begins a command, `> ` continues it, and what follows is what it printed.

type Command = { readonly text: string; readonly printed: string }
type Block = { readonly from: number; readonly to: number; readonly commands: readonly Command[] }

export type PageServer = {
  readonly apiPort: number
  readonly dnsPort: number
  /** The ports of other servers, by the ports that the page names. */
  readonly otherPorts?: Readonly<Record<string, number>>
  /** What the shell runs first. */
  readonly preamble?: string
  readonly environment: Readonly<Record<string, string>>
  /** Where commands run. */
  readonly folder: string
  readonly mainFile: string
}

export type Checked = Command & { readonly actual: string }

/** Runs the commands of a page in order in one shell. Pages name a server's default ports, and 5301 to 5304 for
 *  the servers that they start themselves. */
export async function runPage(path: string, server: PageServer): Promise<readonly Checked[]> {
  const page = readFileSync(path, 'utf8')
  const blocks = blocksOf(page)
  const commands = blocks.flatMap(block => block.commands)
  const outputs = await runShell(commands, server)
  const checked = commands.map((command, i) => ({ ...command, actual: outputs[i] ?? '' }))
  if (process.env.WRITE_PAGES === '1') writeFileSync(path, withOutputs(page, blocks, checked))
  return checked
}

/** A text without the parts that differ at each run: ids, times, serials, secrets, durations, ports of clients, and of how many
 *  files there are, which a checkpoint or the end of an hour changes. */
export function withoutChance(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/\b[0-9a-f]{32}\b/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?/g, '<time>')
    .replaceAll(/\d{4}-\d\d(?:-\d\d)?\b/g, '<day>')
    .replaceAll(/\b(?:1[6-9]|2\d)\d{8} \d+ \d+ \d+ \d+\b/g, '<soa>')
    .replaceAll(/\b(?:1[6-9]|2\d)\d{8}\b/g, '<serial>')
    .replaceAll(/[\w+/-]{43,}=*/g, '<secret>')
    .replaceAll(/COOKIE: [0-9a-f]+/g, 'COOKIE: <cookie>')
    .replaceAll(/\d+ octets/g, '<n> octets')
    .replaceAll(/\d+ files\b/g, '<n> files')
    .replaceAll(/id: \d+/g, 'id: <n>')
    .replaceAll(/(msec|time:?) *\d+|\b\d+ (?:msec|ms)\b/g, '<ms>')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/-{3,}/g, '---')
    .trim()
}

/** The blocks of commands of a page. */
export function blocksOf(page: string): readonly Block[] {
  const found = page.matchAll(/^```console\n([\s\S]*?)^```$/gm)
  return [...found].map(match => {
    const [whole, inner = ''] = match
    const from = match.index + whole.indexOf('\n') + 1
    return { from, to: from + inner.length, commands: commandsOf(inner) }
  })
}

function commandsOf(inner: string): readonly Command[] {
  return inner
    .split(/^\$ /m)
    .slice(1)
    .map(part => {
      const [first = '', ...lines] = part.replace(/\n$/, '').split('\n')
      const ends = lines.findIndex(line => !line.startsWith('> ') && line !== '>')
      const more = ends < 0 ? lines : lines.slice(0, ends)
      const text = [first, ...more.map(line => line.slice(2))].join('\n')
      return { text, printed: ends < 0 ? '' : lines.slice(ends).join('\n') }
    })
}

function withOutputs(page: string, blocks: readonly Block[], checked: readonly Checked[]): string {
  const rest = [...checked]
  let text = ''
  let from = 0
  for (const block of blocks) {
    const done = rest.splice(0, block.commands.length).map(({ text: command, printed, actual }) => {
      const isSame = withoutChance(printed) === withoutChance(actual)
      return `$ ${command.replaceAll('\n', '\n> ')}\n${isSame ? printed : actual}`.trimEnd()
    })
    text += `${page.slice(from, block.from)}${done.join('\n')}\n`
    from = block.to
  }
  return text + page.slice(from)
}

const mark = '\u001e'

async function portsOfServers(): Promise<Record<number, number>> {
  const free = [await freePort(), await freePort(), await freePort(), await freePort()]
  return Object.fromEntries(free.map((port, i) => [5301 + i, port]))
}

/** What each command printed, on both of its outputs. */
async function runShell(
  commands: readonly Command[],
  { apiPort, dnsPort, otherPorts, preamble = '', environment, folder, mainFile }: PageServer,
): Promise<readonly string[]> {
  const ports = Object.entries({
    ...{ 9001: apiPort, 5300: dnsPort },
    ...(otherPorts ?? (await portsOfServers())),
  })
  // Background processes of a page end with it.
  const program = `trap 'kill $(jobs -p) 2> /dev/null; wait' EXIT
zonewright() { '${process.execPath}' '${mainFile}' "$@"; }\n${preamble}\n`
  const shown = commands.map(({ text }) => `${text}\nprintf '${mark}'\n`).join('')
  const script = ports.reduce(
    (text, [written, port]) => text.replaceAll(new RegExp(`\\b${written}\\b`, 'g'), `${port}`),
    shown,
  )
  const shell = spawn('bash', ['-c', `exec 2>&1\n${program}${script}`], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of shell.stdout.setEncoding('utf8')) output += chunk
  return ports
    .reduce(
      (text, [written, port]) => text.replaceAll(new RegExp(`\\b${port}\\b`, 'g'), written),
      output,
    )
    .replaceAll(folder, '.')
    .split(mark)
    .map(text => text.replace(/\n+$/, ''))
}
