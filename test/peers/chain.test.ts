import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { adminToken, mainFile } from '../helpers/appliance.ts'
import { ClockedAppliance } from '../helpers/clocked-appliance.ts'
import { listeningOn } from '../helpers/listening-on.ts'
import { blocksOf, runPage, withoutChance } from '../helpers/page.ts'
import { startPeerProcess } from '../helpers/peer-process.ts'

// docs/dnssec-chain.md as it is printed, with BIND beside a server whose clock `sleep` turns. At each quarter of an hour in
// between a validator without a cache looks at the zone as well.

const run = promisify(execFile)
const page = fileURLToPath(new URL('../../docs/dnssec-chain.md', import.meta.url))
const host = '127.0.0.1'
const quarterSeconds = 900
const dayMillis = 86_400_000

/** The files that the page writes, by name, with the text that it shows. */
function filesOf(text: string): Record<string, string> {
  const written = blocksOf(text)
    .flatMap(({ commands }) => commands)
    .flatMap(command => {
      const [, name = '', content = ''] =
        /^cat > (\S+) <<'EOF'\n([\s\S]*)EOF$/.exec(command.text) ?? []
      return name === '' ? [] : [[name, content] as const]
    })
  return Object.fromEntries(written)
}

t.test('the page of a chain that validates', async t => {
  const folder = t.testdir({})
  const text = readFileSync(page, 'utf8')
  const environment = {
    ZONEWRIGHT_ADMIN_TOKEN: adminToken,
    ZONEWRIGHT_NAMESERVERS: 'ns1.example.com.,ns2.example.com.',
  }
  const server = await ClockedAppliance.start({
    dataDirectory: join(folder, 'data'),
    // Data that BIND validates by its own clock is signed by this server's clock, from now on for days.
    nowMillis: Date.now() - 3 * dayMillis,
    environment,
  })
  t.teardown(() => server.kill())
  const [, command = ''] = /^\.\/(named .*)$/m.exec(text) ?? []
  t.match(command, 'named -g')
  const ports = (port: number) => ({ 5300: server.dns.port, 5301: port })
  const bind = await startPeerProcess({
    name: 'bind',
    recipe: ({ port }) => {
      const replaced = (content: string) =>
        content.replaceAll(/\b(5300|5301)\b/g, it => String(ports(port)[it as '5300']))
      const files = Object.entries(filesOf(text))
      return {
        command: command.split(' '),
        files: Object.fromEntries(files.map(([name, content]) => [name, replaced(content)])),
      }
    },
    isReady: async port =>
      (await signaturesOf('example', port)) && signaturesOf('bind.child.example', port),
  })
  t.teardown(() => bind.close())

  const seen: string[] = []
  const validated = async () => {
    const words = [`@${host}`, '-p', `${bind.port}`, '-a', join(folder, 'anchor'), '+root=example']
    const { stdout } = await run('delv', [...words, 'www.child.example']).catch(
      (error: { readonly stdout: string; readonly stderr: string }) => ({
        stdout: error.stdout + error.stderr,
      }),
    )
    return stdout.split('\n')[0] ?? ''
  }
  const clock = createServer(async (request, response) => {
    for (let left = Number(request.url?.slice(1)); left > 0; left -= quarterSeconds) {
      await server.advance(Math.min(left, quarterSeconds) * 1000)
      await server.run('roll-keys')
      seen.push(await validated())
    }
    response.end()
  })
  const clockPort = await listeningOn(t, clock)

  const checked = await runPage(page, {
    apiPort: server.apiPort,
    dnsPort: server.dns.port,
    otherPorts: { 5301: bind.port },
    environment: { ...environment, ZONEWRIGHT_API_LISTEN: `${host}:${server.apiPort}` },
    preamble: `sleep() { curl -sf http://${host}:${clockPort}/$1 || exit; }`,
    folder,
    mainFile,
  })
  for (const { text: shown, printed, actual } of checked)
    t.equal(withoutChance(actual), withoutChance(printed), shown)
  t.same(
    [...new Set(seen)].sort(),
    ['; fully validated', '; unsigned answer'],
    `${seen.length} looks in between, none of them bogus`,
  )
})

/** Whether BIND has signed all of a zone. */
async function signaturesOf(zone: string, port: number): Promise<boolean> {
  const words = [
    `@${host}`,
    '-p',
    `${port}`,
    `none.${zone}`,
    '+dnssec',
    '+tries=1',
    '+noall',
    '+authority',
  ]
  const { stdout } = await run('dig', words).catch(() => ({ stdout: '' }))
  return /\sRRSIG\s+NSEC\s/.test(stdout)
}
