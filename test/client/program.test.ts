import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { verifyArchive } from '../../src/backup/scheduled.ts'
import { exitCodes } from '../../src/client/client-error.ts'
import { Output } from '../../src/client/output.ts'
import { Session } from '../../src/client/session.ts'
import { commandLine } from '../helpers/command-line.ts'
import { accountPassword } from '../helpers/members.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

async function start(t: Test) {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  return { server, run: commandLine(server) }
}

/** For tests that look at their own zones alone. */
const shared = await start(t)

t.test('top shows what is asked most, so often as is said', async t => {
  const { run } = shared
  const { printed, exitCode } = await run('top --times 2 --seconds 5')
  t.equal(exitCode, 0)
  t.equal(printed.match(/^0 queries since/gm)?.length, 2)
  t.match(JSON.parse((await run('--json top')).printed), { queries: 0, zones: [] })
  for (const times of ['x', '0'])
    t.equal((await run(`top --times ${times}`)).exitCode, exitCodes.usage, times)
})

t.test('zones and recordsets are made, changed, listed and deleted', async t => {
  const { run } = await start(t)
  t.match(
    (await run('zone create example.com --email ops@example.com')).printed,
    /^status +ACTIVE$/m,
  )
  t.match((await run('zone set example.com --ttl 60')).printed, /^ttl +60$/m)
  await run('record set example.com www a 192.0.2.1 192.0.2.2 --ttl 300')
  await run('record add example.com www A 192.0.2.3 192.0.2.1')
  const { printed } = await run('record delete example.com www A 192.0.2.2')
  t.equal(printed, 'www.example.com.  300  A     192.0.2.1, 192.0.2.3\n')
  await run('record set example.com @ TXT "hello world"')
  const listed = await run('record list example.com --type txt')
  t.match(listed.printed, /^example\.com\. .* TXT +hello world$/m)
  await run('record add example.com @ TXT other')
  const unquoted = await run(['record', 'delete', 'example.com', '@', 'TXT', '"hello world"'])
  t.match(unquoted.printed, /^example\.com\. .* TXT +other$/m, 'as zone files spell it')
  const missing = await run('record delete example.com @ TXT none')
  t.match(missing.errors, /example\.com\. TXT has no value none/)
  t.match((await run('record delete example.com @ TXT other')).printed, /deleted/)
  t.match((await run('zone list --name exam*')).printed, /^example\.com\. +PRIMARY +ACTIVE/)
  t.same(JSON.parse((await run('--json zone show example.com')).printed).ttl, 60)
  t.equal((await run('zone delete example.com')).exitCode, exitCodes.refused)
  t.equal((await run('zone delete example.com', { answer: true })).exitCode, 0)
  t.equal((await run('zone show example.com')).exitCode, exitCodes.refused)
})

t.test('stats counts what was answered for a zone', async t => {
  const { run } = shared
  await run('zone create stats.example --email ops@example.com')
  const { printed } = await run('stats stats.example')
  t.match(printed, /^responses +0$/m)
  t.match(printed, /^udp +0$/m)
  t.match(printed, /^NXDOMAIN +0$/m)
  t.match(JSON.parse((await run('--json stats stats.example')).printed), { by_type: { A: 0 } })
})

t.test('prices are applied, set, edited and deleted', async t => {
  const { run } = shared
  t.equal((await run('price list')).printed, '')
  t.match((await run('price apply default')).printed, /4 rules added, 0 present/)
  t.match(JSON.parse((await run('--json price apply default')).printed), { added: 0, present: 4 })
  t.equal((await run('price apply gold')).exitCode, exitCodes.refused)
  const set = await run('price set dns.queries 0.3 --description cheaper')
  t.match(set.printed, /^dns\.queries +- +- +flat +0\.3 +cheaper$/m)
  t.match(set.printed, /^dns\.queries +rcode +NXDOMAIN +rate +0 /m, 'the others stay')
  const factor = await run('price set dns.queries 0.5 --where rcode=NXDOMAIN --rate')
  t.match(factor.printed, /^dns\.queries +rcode +NXDOMAIN +rate +0\.5 /m)
  t.notMatch((await run('price delete dns.queries --where tier=1')).printed, /tier/)
  const gone = await run('price delete dns.queries --where tier=1')
  t.match(gone.errors, /there is no price of dns\.queries tier=1/)
  t.equal((await run('price set dns.queries 1 --where rcode')).exitCode, exitCodes.usage)
  const edit = (text: string) => text.replace('"0.3"', '"0.7"')
  const shown = await run('price edit', { edit })
  t.match(shown, { exitCode: exitCodes.refused, printed: /has cost 0\.00; by these prices 0\.00/ })
  t.notMatch((await run('price list')).printed, /0\.7/, 'nobody has agreed')
  t.match((await run('price edit', { edit, answer: true })).printed, /flat +0\.7 /)
  t.match((await run('price edit -y', { edit: () => '[' })).errors, /prices\.json is not JSON/)
})

t.test('a zone is signed, its keys come and go', async t => {
  const { run, server } = await start(t)
  await run('zone create example.com --email ops@example.com')
  const privateKey = Buffer.alloc(32, 1).toString('base64')
  const files = { key: `Algorithm: 15\nPrivateKey: ${privateKey}\n` }
  t.match((await run('dnssec status example.com')).printed, /^status +UNSIGNED$/m)
  await run('dnssec import-key example.com key', { files })
  const taken = await run('--json dnssec keys example.com')
  const [{ tag, id }] = JSON.parse(taken.printed)
  const exported = await run(`dnssec export-key example.com ${tag}`)
  t.match(exported.printed, `PrivateKey: ${privateKey}\n`)
  t.match((await run(`dnssec export-key example.com ${id} --pem`)).printed, /^-----BEGIN/)
  t.match(
    (await run(`dnssec export-key example.com ${tag} --public`)).printed,
    /^example\.com\. 3600 IN DNSKEY 257 3 15 /,
  )
  // Itself, so that nobody beyond this machine is asked.
  const [dns] = server.app.dns
  const enable = `dnssec enable example.com --parent-server ${dns?.host}:${dns?.port}`
  t.match((await run(`${enable} --policy ed25519`)).printed, /^policy_id +ed25519$/m)
  await until(
    async () => (await run('dnssec status example.com')).printed,
    printed => /^status +SIGNED$/m.test(printed),
  )
  t.match((await run('dnssec status example.com')).printed, /^denial +NSEC$/m)
  await run('zone create example.net --email ops@example.net')
  const hashed = 'dnssec enable example.net --policy nsec3'
  t.match((await run(hashed)).printed, /^denial +NSEC3$/m)
  t.match((await run('dnssec ds example.com')).printed, `example.com. IN DS ${tag} 15 2 `)
  t.match((await run('zone list --dnssec signed')).printed, /^example\.com\. /)
  t.equal((await run('zone list --dnssec unsigned')).printed, '')
  t.match((await run(`dnssec delete-key example.com ${tag}`)).errors, /replaced by a roll/)
  t.match((await run('dnssec roll example.com zsk')).errors, /has no ZSK/)
  t.match(
    (await run('dnssec roll example.com csk')).printed,
    /^tasks +key \d+: introduce the DNSKEY/m,
  )
  t.match((await run(`dnssec confirm-ds example.com ${tag}`)).errors, /does not wait/)
  t.match((await run('dnssec check-parent example.com')).printed, /not its parent/)
  t.match((await run('dnssec sign example.com')).printed, /^status +SIGNED$/m)
  t.equal((await run('dnssec keys example.org')).exitCode, exitCodes.refused)
  t.equal((await run('dnssec disable example.com --force')).exitCode, exitCodes.refused)
  t.match((await run('dnssec disable example.com --force -y')).printed, /not signed any more/)
  const made = await run('dnssec policy create split --keys KSK+ZSK --zsk-days 30 --ds-digest 2 4')
  t.match(made.printed, /^zsk_lifetime_days +30$/m)
  t.match((await run('dnssec policy list')).printed, /^split +KSK\+ZSK +13 /)
  t.match((await run('dnssec enable example.com --policy split')).printed, /^status +SIGNING$/m)
  t.equal((await run('dnssec policy delete split')).exitCode, exitCodes.refused)
})

t.test('administrators help with the zones of all projects', async t => {
  const { server, run } = shared
  const projectId = await server.makeProject('helped')
  const account = await server.makeAccount({ name: 'hal', projectId, role: 'member' })
  const hal = server.bearer(await server.login(account))
  await hal.post('/v2/zones', { name: 'helped.example.', email: 'hal@helped.example' })
  t.equal((await run('zone show helped.example')).exitCode, exitCodes.refused)
  for (const command of [
    'record set helped.example www A 192.0.2.1',
    'history helped.example',
    'zone delete helped.example --yes',
    'zone restore helped.example',
  ]) {
    const { exitCode, errors } = await run(`${command} --all-projects`)
    t.same([exitCode, errors], [0, ''], command)
  }
  t.match((await run('zone list --all-projects')).printed, /^helped\.example\. /m)
})

t.test('names of other scripts are written in ASCII', async t => {
  const { run } = shared
  const made = await run('zone create bücher.example --email ops@example.com')
  t.match(made.printed, /^name +xn--bcher-kva\.example\.$/m)
  const set = await run('record set bücher.example *.Käse A 192.0.2.1')
  t.match(set.printed, /^\*\.xn--kse-qla\.xn--bcher-kva\.example\. /)
  const more = await run('record add BÜCHER.example *.käse A 192.0.2.2')
  t.match(more.printed, /192\.0\.2\.1, 192\.0\.2\.2$/m)
  t.match((await run('zone list --name bücher.*')).printed, /^xn--bcher-kva/)
  t.match(
    (await run('zone create ä/b.example --email a@example.com')).errors,
    /other scripts/,
    'no name at all',
  )
})

t.test('secrets come from files or standard input, where ps does not show them', async t => {
  const { run, server } = shared
  const { host, port } = server.app.api
  const files = { token: 'the-admin-token-of-the-tests\n', '-': 'word-of-ann-and-me\n' }
  const url = `--url http://${host}:${port}`
  t.equal((await run(`${url} --token-file token zone list`, { files })).exitCode, 0)
  const refused = await run(`${url} zone list`)
  t.equal(refused.exitCode, exitCodes.notPermitted)
  t.match(refused.errors, /The token or the login is not accepted/)
  const withoutScheme = await run(`--url ${host}:${port} zone list`)
  t.equal(withoutScheme.exitCode, exitCodes.usage)
  t.match(withoutScheme.errors, /It must be a URL/)
  t.equal((await run(`${url} --token-file gone zone list`, { files })).exitCode, 1)
  const made = await run('--json user create ann --password-file -', { files })
  t.notOk('password' in JSON.parse(made.printed))
  const auth = {
    methods: ['password'],
    password: { user: { name: 'ann', domain: { id: 'default' } } },
  }
  Object.assign(auth.password.user, { password: 'word-of-ann-and-me' })
  const login = await server.admin.post('/identity/v3/auth/tokens', { auth: { identity: auth } })
  t.equal(login.status, 201)
  t.match(await run('import powerdns http://127.0.0.1:1'), {
    exitCode: exitCodes.usage,
    errors: /--api-key is missing/,
  })
  const twice = await run(`${url} --token-file token --token x zone list`, { files })
  t.equal(twice.exitCode, exitCodes.usage)
})

t.test('zone files are imported, exported and edited, with what changes shown', async t => {
  const { run } = shared
  const file = '@ 3600 IN SOA ns ops 1 7200 900 86400 300\nwww 300 IN A 192.0.2.1\n'
  const files = { 'zone.txt': file, '-': file.replace('.1\n', '.7\n') }
  t.match(
    (await run('zone import zone.txt --origin example.com --dry-run', { files })).printed,
    /./,
  )
  t.equal((await run('zone show example.com')).exitCode, exitCodes.refused, 'only tried')
  t.match((await run('zone import zone.txt', { files })).errors, / --origin gives it /)
  t.equal((await run('zone import zone.txt --origin example.com', { files })).exitCode, 0)
  const again = await run('zone import zone.txt --origin example.com', { files })
  t.match(again.errors, /Duplicate zone\. --replace makes/)
  const replaced = await run('zone import - --origin example.com --replace', { files })
  t.match(replaced.printed, /^- www\.example\.com\. 300 IN A 192\.0\.2\.1\n\+ .*192\.0\.2\.7$/m)
  const edit = (text: string) => `${text}mail 60 IN A 192.0.2.8\n`
  t.equal((await run('zone edit example.com', { edit })).exitCode, exitCodes.refused, 'not agreed')
  t.equal((await run('zone edit example.com', { edit, answer: true })).exitCode, 0)
  const { printed } = await run('zone export example.com')
  t.match(printed, /^www\.example\.com\. 300 IN A 192\.0\.2\.7$/m)
  t.match(printed, /^mail\.example\.com\. 60 IN A 192\.0\.2\.8$/m)
  t.match((await run('zone edit example.com')).printed, /nothing was changed/)
})

t.test('a quota that is used up is named, with how it is raised', async t => {
  const { run } = await start(t)
  await run('zone create example.com --email ops@example.com')
  await run('project quota admin api_export_size=1')
  const { errors } = await run('zone export example.com')
  const [, command = ''] = /(project quota .*)\n$/.exec(errors) ?? []
  t.equal(command, 'project quota <project> api_export_size=-1')
  t.equal((await run(command.replace('<project>', 'admin'))).exitCode, 0)
  t.equal((await run('zone export example.com')).exitCode, 0)
})

t.test('accounts and keys', async t => {
  const { run } = await start(t)
  t.match((await run('project create acme')).printed, /^name +acme$/m)
  t.match((await run('project quota acme zones=7')).printed, /^zones +7$/m)
  t.match((await run('project quota acme')).printed, /^zones +7$/m)
  t.equal((await run('invoice --project acme')).printed, 'Total: 0.00\n')
  t.match((await run('credential create mine')).printed, /^roles +admin, member, reader$/m)
  t.equal((await run('user create ann --password word-of-ann --project acme')).exitCode, 0)
  t.match((await run('user list')).printed, /^ann +true/m)
  t.equal((await run('user create bo --password word-of-bo --project nowhere')).exitCode, 1)
  t.notMatch((await run('user list')).printed, /^bo /m, 'not half made')
  t.match((await run('user roles ann')).printed, /^ann +acme +member$/m)
  t.equal((await run('user grant ann acme reader')).errors, '')
  t.equal((await run('user revoke ann acme')).exitCode, 0)
  t.equal((await run('--json user roles ann')).printed.match(/acme/g)?.length, 1)
  t.match((await run('user roles')).printed, /^admin +admin +admin$/m)
  t.match((await run('user password ann')).printed, /^password +[\w-]{22}$/m)
  t.equal((await run('user password ann --password another-of-ann')).printed, 'name  ann\n')
  t.equal((await run('user delete ann')).exitCode, 0)
  t.equal((await run('project delete acme')).exitCode, 0)
  const { printed } = await run('--json request get /v2/pools')
  const resource = JSON.parse(printed).pools[0].id
  await run(`key create k1. hmac-sha256 c2VjcmV0 --resource ${resource}`)
  t.match((await run('key list')).printed, /^k1\. +hmac-sha256 +POOL/m)
  t.equal((await run('key delete k1.')).exitCode, 0)
  t.match((await run('key create k2.')).printed, /^secret +\S{43}=$/m)
  t.match((await run('key list')).printed, RegExp(`^k2\\. +hmac-sha256 +POOL +${resource}`, 'm'))
  await run('zone create example.com --email ops@example.com')
  t.match((await run('key create k3. --zone example.com')).printed, /^scope +ZONE$/m)
  await run('zone set example.com --attribute allow_transfer=key:k3')
  const kept = await run('key delete k3.')
  t.match(kept, {
    exitCode: 1,
    errors: /k3\. is named by the zone example\.com\. \(allow_transfer\)/,
  })
  t.equal((await run('key delete k3. --yes')).exitCode, 0)
  const made = await run('--json user create ann')
  t.match(JSON.parse(made.printed).password, /^[\w-]{22}$/)
  t.equal((await run('key delete k1.')).errors, 'zonewright: there is no key "k1."\n')
})

t.test('credentials come from a cloud of clouds.yaml, or from OS_ variables', async t => {
  const { server } = await start(t)
  const projectId = await server.makeProject('acme')
  await server.makeAccount({ name: 'ann', projectId, role: 'member' })
  const { host, port } = server.app.api
  const authUrl = `http://${host}:${port}/identity/v3`
  const clouds = `clouds:
  here:
    auth: { auth_url: "${authUrl}", username: ann, password: "${accountPassword}", project_name: acme }`
  const never = () => t.fail('asked for the server of this machine') as never
  const byCloud = commandLine(server, {
    environment: { OS_CLOUD: 'here' },
    readFile: path => (path === 'clouds.yaml' ? clouds : undefined),
    ownServer: never,
  })
  t.equal((await byCloud('zone create acme.example --email a@acme.example')).exitCode, 0)
  const made = await byCloud('--json credential create ci')
  const { id, secret } = JSON.parse(made.printed)
  const environment = {
    OS_AUTH_URL: authUrl,
    OS_APPLICATION_CREDENTIAL_ID: id,
    OS_APPLICATION_CREDENTIAL_SECRET: secret,
  }
  const byVariables = commandLine(server, { environment, ownServer: never })
  t.match((await byVariables('zone list')).printed, /^acme\.example\./)
  await byVariables('zone set acme.example --ttl 60')
  const { printed } = await byVariables('history acme.example')
  t.match(
    printed,
    / {2}ann \(ci\) by v2 {2}update .* {2}ann by v2 {2}create /s,
    'and in the history',
  )
  const ids = {
    OS_AUTH_URL: authUrl,
    OS_USER_ID: (await server.admin.get('/identity/v3/users?name=ann')).body.users[0].id,
    OS_USERNAME: '',
    OS_PASSWORD: accountPassword,
    OS_PROJECT_NAME: 'acme',
    OS_PROJECT_DOMAIN_ID: 'default',
    OS_REGION_NAME: 'RegionOne',
  }
  const byIds = commandLine(server, { environment: ids, ownServer: never })
  t.match((await byIds('zone list')).printed, /^acme\.example\./)
  const elsewhere = { ...ids, OS_REGION_NAME: 'Mars', OS_PROJECT_DOMAIN_ID: '' }
  const away = await commandLine(server, { environment: elsewhere, ownServer: never })('zone list')
  t.match(away, { exitCode: exitCodes.config, errors: /no dns service in the region Mars/ })
  const outside = { ...ids, OS_PROJECT_DOMAIN_ID: 'other' }
  const refused = await commandLine(server, { environment: outside })('zone list')
  t.equal(refused.exitCode, exitCodes.notPermitted)
  const unknown = await byVariables('--os-cloud there zone list')
  t.equal(unknown.exitCode, exitCodes.config)
  t.match(unknown.errors, /no cloud "there" in clouds\.yaml/)
  const wrong = commandLine(server, {
    environment: { ...environment, OS_APPLICATION_CREDENTIAL_SECRET: 'x' },
  })
  t.equal((await wrong('zone list')).exitCode, exitCodes.notPermitted)
})

t.test('what goes wrong has an exit code, and one line that says what', async t => {
  const { run } = shared
  const rows: [string, number, RegExp][] = [
    ['zones list', exitCodes.usage, /unknown command 'zones'\n\(Did you mean zone\?\)/],
    ['zone create a.example --ttl abc', exitCodes.usage, /--ttl .* 'abc' is invalid/],
    ['undo a.example --change x', exitCodes.usage, /--change .* 'x' is invalid/],
    ['request POST /v2/zones bad', exitCodes.usage, /bad is not JSON/],
    ['request FETCH /v2/zones', exitCodes.usage, /FETCH is none of GET, /],
    ['zone list --status foo', exitCodes.usage, /must be one of ACTIVE, PENDING, ERROR\./],
    ['zone list --dnssec foo', exitCodes.usage, /must be one of UNSIGNED, SIGNING, /],
    ['usage --begin foo', exitCodes.usage, /must be a day or a time, such as 2026-11-01/],
    ['usage --by foo', exitCodes.usage, /--by foo: no usage has it; there are type, /],
    ['zone set a.example', exitCodes.usage, /nothing is given to change/],
    ['undo a.example', exitCodes.usage, /say either --change or --serial/],
    ['import transfer 192.0.2.1', exitCodes.usage, /which zones\?/],
    ['zone frobnicate', exitCodes.usage, /unknown command 'frobnicate'/],
    ['user create eve --role reader', exitCodes.usage, /--role needs --project/],
    ['zone create', exitCodes.usage, /missing required argument 'name'/],
    [
      'zone show nowhere.example',
      exitCodes.refused,
      /^zonewright: Could not find Zone: nowhere\.example\.\n$/,
    ],
    ['zone create x.example --email nobody', exitCodes.refused, /email: /],
    [
      '--url http://127.0.0.1:2 zone list',
      exitCodes.unreachable,
      /127\.0\.0\.1:2 does not answer: connect ECONNREFUSED .*\. Start it, or name another with --url/,
    ],
    ['--token nothing zone list', exitCodes.notPermitted, /requires authentication/],
  ]
  for (const [words, exitCode, message] of rows) {
    const outcome = await run(words, { files: { bad: '{' } })
    t.equal(outcome.exitCode, exitCode, words)
    t.match(outcome.errors, message, words)
  }
  t.equal((await run('zone --help')).exitCode, 0)
})

t.test('changes are shown and undone', async t => {
  const { run } = await start(t)
  await run('zone create example.com --email ops@example.com')
  await run('record set example.com www A 192.0.2.1')
  await run('record set example.com www A 192.0.2.2')
  const { printed } = await run('history example.com --name www.* --limit 1')
  t.match(
    printed,
    /^\d+ {2}2026-.* {2}admin by v2 {2}update {2}serial \d+\n- www.*192.0.2.1\n\+ www.*192.0.2.2\n$/,
  )
  const id = printed.split(' ')[0]
  const shown = await run(`undo example.com --change ${id} --dry-run`)
  t.match(shown.printed, /^- www.*192.0.2.2\n\+ www.*192.0.2.1\n$/)
  t.equal((await run(`undo example.com --change ${id}`)).exitCode, exitCodes.refused, 'not agreed')
  t.equal((await run(`undo example.com --change ${id}`, { answer: true })).exitCode, 0)
  t.match((await run('record list example.com')).printed, /192\.0\.2\.1/)
  t.match(await run(`undo example.com --change ${id} --yes`), {
    exitCode: exitCodes.refused,
    errors: /Changed again since then: www.example.com. A/,
  })
  const serialOf = (text: string) => /serial +(\d+)/.exec(text)?.[1] ?? ''
  const [now, then] = [serialOf((await run('zone show example.com')).printed), serialOf(printed)]
  t.match((await run(`zone export example.com --at ${then}`)).printed, /www.*192\.0\.2\.2/)
  t.match(
    (await run(`diff example.com ${then}`)).printed,
    /^- www.*192.0.2.2\n\+ www.*192.0.2.1\n$/,
  )
  t.equal((await run(`diff example.com ${then} ${now}`)).exitCode, 0)
  const diff = [/^-www.*192.0.2.2$/, /^\+www.*192.0.2.1$/]
  t.match(JSON.parse((await run(`--json diff example.com ${then}`)).printed), { diff })
  await run('record set example.com www A 192.0.2.2')
  const last = JSON.parse((await run('--json history example.com --limit 1')).printed).history[0]
  t.match(JSON.parse((await run(`--json undo example.com --change ${last.id} --yes`)).printed), {
    serial: Number,
    diff,
  })
  for (const never of ['1', '2020-01-01'])
    t.match((await run(`diff example.com ${never}`)).errors, /has no such state of the zone/)
  t.match(await run('undo example.com'), { errors: /say either --change or --serial/ })
})

t.test('text from the server cannot control the terminal', async t => {
  const { run, server } = shared
  const description = '\x1b[2Jgone\nand \x9b31mred'
  const zone = { name: 'control.example.', email: 'ops@example.com', description }
  await server.admin.post('/v2/zones', zone)
  const { printed } = await run('zone show control.example')
  t.match(printed, /^description +\\u001b\[2Jgone\\nand \\u009b31mred$/m)
  const { errors } = await run('zone create \x1b[2J.example --email ops@example.com')
  t.match(errors, /'\\u001b\[2J\.example\.'/)
  const whole = await run('request GET /v2/zones/control.example.', { isTerminal: true })
  t.notMatch(whole.printed, /\x9b/)
  t.equal(JSON.parse(whole.printed).description, description)
})

t.test('any request prints what is answered, JSON or not', async t => {
  const { run } = shared
  t.match(await run('request GET /docs'), { exitCode: 0, printed: /^<!doctype html>/i })
  t.match((await run('request GET /v2/zones')).printed, /^\{\n {2}"zones": \[/)
})

t.test(
  'the pages of a list are asked for where the first one was, whatever the links say',
  async t => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.url} ${request.headers['x-auth-token']}`)
      const next = 'http://elsewhere.example:1/other/v2/zones?limit=1000&marker=1'
      const links = request.url?.includes('marker') ? {} : { next }
      response.end(JSON.stringify({ zones: [{ name: 'example.com.' }], links }))
    }).listen(0, '127.0.0.1')
    t.teardown(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const session = new Session(async () => ({
      url: `http://127.0.0.1:${port}`,
      headers: { 'x-auth-token': 'x' },
    }))
    t.equal((await session.list('/v2/zones?limit=1000', 'zones')).length, 2)
    t.same(asked, ['/v2/zones?limit=1000 x', '/v2/zones?limit=1000&marker=1 x'])
  },
)

t.test('a zone is offered to another project, which accepts it', async t => {
  const { server, run } = await start(t)
  await run('zone create example.com --email ops@example.com')
  await run('project create acme')
  await run(`user create joe --project acme --password "${accountPassword}" --role member`)
  const offer = JSON.parse((await run('--json zone transfer example.com --project acme')).printed)
  t.match(offer, { key: String, status: 'ACTIVE' })
  const { host, port } = server.app.api
  const environment = {
    OS_AUTH_URL: `http://${host}:${port}/identity`,
    OS_USERNAME: 'joe',
    OS_PASSWORD: accountPassword,
    OS_PROJECT_NAME: 'acme',
  }
  const joe = commandLine(server, { environment })
  t.match(await joe(`zone accept ${offer.id} wrong`), { exitCode: exitCodes.notPermitted })
  t.match((await joe(`zone accept ${offer.id} ${offer.key}`)).printed, /^name +example\.com\.$/m)
  t.match((await joe('zone list')).printed, /^example\.com\. /)
  t.equal((await run('zone list')).printed, '')
})

t.test('NOTIFY is sent when it is asked for', async t => {
  const { run } = shared
  await run('zone create notified.example --email ops@example.com')
  t.match(await run('zone notify notified.example'), { exitCode: 0, printed: 'NOTIFY is sent\n' })
  t.match(await run('zone notify nowhere.example'), { exitCode: exitCodes.refused })
})

t.test('a deleted zone is listed and restored', async t => {
  const { run } = await start(t)
  await run('zone create example.com --email ops@example.com')
  await run('record set example.com www A 192.0.2.1')
  t.match(await run('zone restore example.com'), {
    exitCode: exitCodes.refused,
    errors: /no deleted zone example\.com\./,
  })
  await run('zone delete example.com --yes')
  t.match((await run('zone deleted')).printed, /example\.com\. +PRIMARY/)
  t.match((await run('zone restore example.com')).printed, /name +example\.com\./)
  t.match((await run('record list example.com')).printed, /192\.0\.2\.1/)
  t.equal((await run('zone deleted')).printed, '')
})

t.test('the shells complete all commands', async t => {
  const { run } = shared
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { printed } = await run(`completion ${shell}`)
    for (const word of ['zone', 'top', 'invoice', 'retransfer'])
      t.match(printed, word, `${shell} ${word}`)
  }
})

t.test('a backup is written to a file, and what breaks off is an error', async t => {
  const { run } = shared
  const path = join(t.testdir(), 'backup.tar')
  t.match(await run(`backup ${path}`), { exitCode: 0, printed: /^\d+ files, \d+ octets: / })
  const { files } = JSON.parse((await run(`--json backup ${path}`)).printed)
  t.equal(files, (await verifyArchive(path)).fileCount)
  t.ok((await verifyArchive(path)).fileCount > 5)
  const { exitCode } = await run(`--url http://127.0.0.1:9 backup ${path}`)
  t.equal(exitCode, exitCodes.unreachable)
})

t.test('an invoice is printed for people, or as it is to be saved', async t => {
  const { run } = await start(t)
  await run('zone create example.com --email ops@example.com')
  const { printed } = await run('invoice')
  t.match(printed, /^Total: 0\.00\n/)
  t.match((await run('invoice --format csv')).printed, /^kind,zone_id,.*\r\ntotal,,,,,,,,0\.00\r\n/)
  t.equal((await run('invoice 2026-13')).exitCode, exitCodes.refused)
  const pieces: string[] = []
  const write = (piece: string) => void pieces.push(piece)
  const output = new Output({ write, writeError: write, isTerminal: false }, { isJson: false })
  const used = { zone_name: 'a.', metric: 'dns.zone', unit: 'hour', price: '1', sum: '0.33' }
  const lines = [{ ...used, tier: '', quantity: '0.3333333333333333333333333333' }]
  output.invoice({ lines, not_rated: [], rounding: null, total: '0.33', currency: null })
  t.match(pieces.join(''), / 0\.333333 {2}hour /)
})

t.test('all zones of BIND and of PowerDNS are taken over, with what was left out', async t => {
  const { server, run } = await start(t)
  const soa = '@ 3600 IN SOA ns ops 1 7200 900 86400 300\n@ IN NS ns.example.net.\n'
  const files = {
    'bind/named.conf': `// zone "old.example" { type master; file "old"; };
      zone "a.example" { type master; allow-transfer { 192.0.2.1; }; file "a.zone"; };
      zone "b.example" IN { type primary; file "b.zone"; };
      zone "copy.example" { type slave; file "copy"; masters { 192.0.2.1; }; };
      zone "." { type hint; file "root"; };`,
    'bind/a.zone': `${soa}www IN A 192.0.2.1\n`,
    'bind/b.zone': 'this is no zone file',
  }
  const tried = await run('import bind bind --dry-run', { files })
  t.match(tried.printed, /^a\.example +COMPLETE/m)
  t.equal((await run('zone list')).printed, '')
  const { exitCode, printed, errors } = await run('import bind bind', { files })
  t.match(printed, /^b\.example +ERROR/m)
  t.match(printed, /^copy\.example +LEFT_OUT +it is of type slave$/m)
  t.match(printed, /^\. +LEFT_OUT +it is of type hint$/m)
  t.match(errors, /1 of 4 zones were not imported/)
  t.equal(exitCode, exitCodes.refused)
  t.match((await run('record list a.example --type A')).printed, /192\.0\.2\.1/)

  const key = await server.admin.post(
    `/identity/v3/users/${(await server.admin.get('/identity/v3/users?name=admin')).body.users[0].id}/application_credentials`,
    { application_credential: { name: 'import' } },
  )
  const { id, secret } = key.body.application_credential
  const { host, port } = server.app.api
  const from = `http://${host}:${port} --api-key ${id}:${secret} --replace`
  t.match((await run(`import powerdns ${from}`)).printed, /^a\.example\. +COMPLETE/m)
})

t.test('a list of zones may have comments', async t => {
  const { run } = await start(t)
  const files = { 'zones.txt': '# of ns1\na.example. # moved\n\n#b.example\nc.example\n' }
  const { printed } = await run('import transfer no/address --list zones.txt', { files })
  t.strictSame(printed.match(/^\S+/gm), ['a.example.', 'c.example'])
})

t.test('BIND is read as Debian lays it out, with includes, views and journals', async t => {
  const { run } = await start(t)
  const soa = '@ 3600 IN SOA ns ops 1 7200 900 86400 300\n@ IN NS ns.example.net.\n'
  const files = {
    'copy/named.conf': `
      include "/etc/bind/named.conf.options"; /* zone "no.example" { type primary; file "no"; }; */
      include "/etc/bind/named.conf.local";
      zone "localhost" { type master; file "/etc/bind/db.local"; };`,
    '/etc/bind/named.conf.options': 'options { directory "/var/cache/bind"; listen-on { any; }; };',
    'copy/named.conf.local': `
      zone "a.example" { type primary; file "db.a"; }; # relative to the directory of the options
      zone "quot\\ed.example" { type primary; };
      zone "moved.example" { type primary; file "/var/lib/bind/db.moved"; };
      zone "raw.example" { type primary; file "raw"; masterfile-format raw; };
      zone "dynamic.example" { type primary; file "db.dynamic"; allow-update { key k; }; };
      zone "gone.example" { type primary; file "db.gone"; };
      view inside { match-clients { 10.0.0.0/8; }; zone "split.example" { type primary; file "db.in"; }; };
      view outside { zone "split.example" { type primary; file "db.out"; }; };`,
    '/var/cache/bind/db.a': `${soa}www IN A 192.0.2.1\n`,
    'copy/db.moved': soa,
    '/var/cache/bind/db.dynamic': soa,
    '/var/cache/bind/db.dynamic.jnl': 'octets',
    '/var/cache/bind/db.in': `${soa}in IN A 192.0.2.1\n`,
    '/var/cache/bind/db.out': `${soa}out IN A 192.0.2.1\n`,
  }
  const { printed, errors } = await run('import bind copy', { files })
  const rows = printed
    .trim()
    .split('\n')
    .map(line => line.split(/ {2,}/))
  t.match(rows, [
    ['a.example', 'COMPLETE'],
    ['quoted.example', 'LEFT_OUT', 'it has no file'],
    ['moved.example', 'COMPLETE'],
    ['raw.example', 'LEFT_OUT', /^its file is raw/],
    ['dynamic.example', 'ERROR', /db\.dynamic\.jnl: rndc sync -clean first$/],
    ['gone.example', 'ERROR', 'db.gone cannot be read'],
    ['split.example', 'COMPLETE'],
    ['split.example', 'LEFT_OUT', 'it is in the view inside too, and views are not known'],
    ['localhost', 'LEFT_OUT', /^each name server/],
  ])
  t.match(errors, /2 of 9 zones were not imported/)
  t.match((await run('record list split.example --type A')).printed, /^in\.split/)
  const broken = { 'x/named.conf': 'zone "a" { type primary;' }
  t.match((await run('import bind x', { files: broken })).errors, /braces of x\/named.conf/)
  const endless = { 'x/named.conf': 'include "a";', 'x/a': 'include "b";', 'x/b': 'include "a";' }
  t.match((await run('import bind x', { files: endless })).errors, /: a includes itself\n/)
  t.match((await run('import bind none')).errors, /none\/named.conf cannot be read/)
})

t.test('files of BIND with the same name are told apart by their subdirectories', async t => {
  const { run } = await start(t)
  const soa = '@ 3600 IN SOA ns ops 1 7200 900 86400 300\n@ IN NS ns.example.net.\n'
  const files = {
    'copy/named.conf': `options { directory "/etc/bind"; };
      include "/etc/bind/a/named.conf"; include "b/named.conf";`,
    'copy/a/named.conf': 'zone "a.example" { type primary; file "a/db"; };',
    'copy/b/named.conf': 'zone "b.example" { type primary; file "/etc/bind/b/db"; };',
    'copy/a/db': `${soa}in-a IN A 192.0.2.1\n`,
    'copy/b/db': `${soa}in-b IN A 192.0.2.1\n`,
  }
  const { printed, errors } = await run('import bind copy', { files })
  t.equal(errors, '')
  t.match(printed, /^a\.example +COMPLETE.*\nb\.example +COMPLETE/)
  t.match((await run('record list a.example --type A')).printed, /^in-a\./)
  t.match((await run('record list b.example --type A')).printed, /^in-b\./)
})

t.test('BIND includes the files that a pattern matches', async t => {
  const { run } = await start(t)
  const zone = (name: string) => `zone "${name}.example" { type secondary; };`
  const files = {
    'copy/named.conf': 'include "/etc/bind/zones/*.conf"; include "more/[ab]?";',
    'copy/zones/b.conf': zone('b'),
    'copy/zones/a.conf': zone('a'),
    'copy/zones/a.conf.old': zone('old'),
    'copy/more/b1': zone('c'),
  }
  const { printed } = await run('import bind copy', { files })
  t.match(printed, /^a\.example .*\nb\.example .*\nc\.example .*\n$/)
  const none = { 'x/named.conf': 'include "zones/*.conf";' }
  t.match((await run('import bind x', { files: none })).errors, /zones\/\*\.conf cannot be read/)
})

t.test('zones that BIND signs are reported, with what to do', async t => {
  const { run } = await start(t)
  const soa = '@ 3600 IN SOA ns ops 1 7200 900 86400 300\n@ IN NS ns.example.net.\n'
  const key = `257 3 13 ${'A'.repeat(86)}==`
  const rrsig = `SOA 13 2 3600 20400101000000 20200101000000 1 signed.example. ${'A'.repeat(86)}==`
  const zone = (name: string, settings = '') =>
    `zone "${name}.example" { type primary; file "${name}"; ${settings} };`
  const files = {
    'bind/named.conf': `dnssec-policy own { keys { csk lifetime unlimited algorithm 13; }; };
      options { dnssec-policy own; };
      ${zone('policy')} ${zone('none', 'dnssec-policy none;')}
      ${zone('old', 'dnssec-policy none; auto-dnssec maintain;')}
      ${zone('inline', 'dnssec-policy none; inline-signing yes;')}
      ${zone('key', 'dnssec-policy none;')} ${zone('signed', 'dnssec-policy none;')}
      view inside { dnssec-policy none; ${zone('viewed')} };`,
    ...Object.fromEntries(
      ['policy', 'none', 'old', 'inline', 'viewed'].map(name => [
        `bind/${name}`,
        `${soa}www TXT " RRSIG "\n; @ IN RRSIG x\n`,
      ]),
    ),
    'bind/key': `${soa}@ IN 3600 DNSKEY ${key}\n`,
    'bind/signed': `${soa}@ 3600 IN DNSKEY ${key}\n 3600 RRSIG ${rrsig}\n`,
  }
  for (const option of [' --dry-run', '']) {
    const { printed, errors } = await run(`import bind bind${option}`, { files })
    t.equal(errors, '')
    const rows = printed.trim().split('\n')
    t.match(rows, [
      /^policy.* COMPLETE .*; WARNING: it was signed by BIND \(dnssec-policy own\), and with a DS/,
      /^none\.example +COMPLETE/,
      /^old.* COMPLETE .*; WARNING: it was signed by BIND \(auto-dnssec maintain\)/,
      /^inline.* COMPLETE .*; WARNING: it was signed by BIND \(inline-signing yes\)/,
      /^key.* COMPLETE .*; WARNING: it was signed by a key in its file/,
      /^signed.* COMPLETE .*; WARNING: its file has signatures/,
      /^viewed\.example +COMPLETE/,
    ])
    for (const i of [1, 6]) t.notMatch(rows[i], /WARNING/)
  }
})

t.test('the zones of a cloud are taken over, by what its catalog says', async t => {
  const [from, to] = [await start(t), await start(t)]
  const projectId = await from.server.makeProject('acme')
  await from.server.makeAccount({ name: 'ann', projectId, role: 'member' })
  const { host, port } = from.server.app.api
  const clouds = `clouds:
  there:
    auth: { auth_url: "http://${host}:${port}/identity/v3", username: ann, password: "${accountPassword}", project_name: acme }`
  const readFile = (path: string) => (path === 'clouds.yaml' ? clouds : undefined)
  const there = commandLine(from.server, { readFile, environment: { OS_CLOUD: 'there' } })
  await there('zone create acme.example --email a@acme.example')
  await there('record set acme.example www A 192.0.2.5')
  const run = commandLine(to.server, { readFile })
  const { printed, exitCode } = await run('import designate --os-cloud there')
  t.match(printed, /^acme\.example\. +COMPLETE/)
  t.equal(exitCode, 0)
  t.match((await run('record list acme.example --type A')).printed, /192\.0\.2\.5/)
  t.equal((await run('import designate')).exitCode, exitCodes.usage)
})
