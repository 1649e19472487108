import { Argument, type Command, Option } from 'commander'
import { ClientError } from './client-error.ts'
import type { Context } from './context.ts'
import { addDnssecPolicyCommands, policyId } from './dnssec-policy-commands.ts'
import type { JsonObject, Session } from './session.ts'
import { zoneOf, zonePath } from './zone-names.ts'

const roles = ['CSK', 'KSK', 'ZSK'] as const

/** `dnssec …`: how zones are signed, and with which keys. A key is named by its tag. */
export function addDnssecCommands(program: Command, context: Context): void {
  const dnssec = program.command('dnssec').description('how zones are signed, and their keys')
  addSigning(dnssec, context)
  addParent(dnssec, context)
  addKeys(dnssec, context)
  addDnssecPolicyCommands(dnssec, context)
}

function addSigning(dnssec: Command, { server, output, confirm }: Context): void {
  const show = (state: JsonObject) => output().object(state, summaryOf(state))
  dnssec
    .command('status <zone>')
    .description('show how a zone is signed, and what it waits for')
    .action(async zone => show(await server.get(dnssecPath(zone))))
  dnssec
    .command('enable <zone>')
    .description('sign a zone, or sign it by another policy')
    .option('--policy <name>', 'its name or id')
    .option('--parent-server <server...>', 'to be queried for the DS, such as 192.0.2.1')
    .option(
      '--signal-children',
      'signal zones served under names in it to their parents (RFC 9615)',
    )
    .option('--no-signal-children')
    .action(async (zone, { policy, parentServer, signalChildren }) => {
      const body = {
        policy_id: policy && (await policyId(server, policy)),
        parent_servers: parentServer,
        signals_children: signalChildren,
      }
      show(await server.json('PUT', dnssecPath(zone), body))
    })
  dnssec
    .command('disable <zone>')
    .description('unsign a zone: its DS first, then its signatures')
    .option('--force', 'at once, although it does not resolve while its parent has a DS')
    .option('-y, --yes', 'without asking')
    .action(async (zone, { force, yes }) => {
      if (force && !yes && !(await confirm(`Unsign ${zone} whatever its parent has`)))
        throw new ClientError('nothing was changed; --yes unsigns without asking')
      const state = await server.json('DELETE', `${dnssecPath(zone)}${force ? '?force=true' : ''}`)
      if (state.status === undefined) output().done(`${zone} is not signed any more`)
      else show(state)
    })
  dnssec
    .command('sign <zone>')
    .description('make all signatures of a zone again')
    .action(async zone => show(await task(server, zone, 'sign')))
  dnssec
    .command('roll <zone>')
    .description('replace the keys of a role')
    .addArgument(new Argument('<role>').choices([...roles, 'csk', 'ksk', 'zsk']))
    .action(async (zone, role) =>
      show(await task(server, zone, 'roll', { role: role.toUpperCase() })),
    )
}

function addParent(dnssec: Command, { server, output }: Context): void {
  dnssec
    .command('ds <zone>')
    .description('print the DS for the parent as lines of a zone file')
    .action(async zone => {
      const { ds } = await server.get(dnssecPath(zone))
      const { name } = await zoneOf(server, zone)
      output().text((ds as readonly string[]).map(it => `${name} IN DS ${it}\n`).join(''))
    })
  dnssec
    .command('check-parent <zone>')
    .description('query all servers of the parent for the DS now')
    .action(async zone => {
      const state = await task(server, zone, 'check_parent')
      const { servers } = (state.parent ?? {}) as { servers?: readonly JsonObject[] }
      output().rows(servers ?? [], ['host', 'ds', 'error'])
    })
  dnssec
    .command('confirm-ds <zone> <tag>')
    .description('confirm that all servers of the parent have the DS of a key')
    .option('--gone', 'that none has it any more')
    .action(async (zone, tag, { gone }) => {
      const key = await keyOf(server, zone, tag)
      const body = { key_id: key.id, present: gone !== true }
      const state = await task(server, zone, 'confirm_ds', body)
      output().object(state, summaryOf(state))
    })
}

function addKeys(dnssec: Command, { server, output, readText }: Context): void {
  dnssec
    .command('keys <zone>')
    .description('list the keys of a zone')
    .action(async zone => {
      output().rows((await keysOf(server, zone)).map(flattened), keyColumns)
    })
  dnssec
    .command('import-key <zone> <file>')
    .description('take over a private key, in PEM or in the form of BIND (- for standard input)')
    .addOption(new Option('--role <role>').choices(roles).default('CSK'))
    .action(async (zone, file, { role }) => {
      const body = { private_key: await readText(file), role }
      const key = await server.json('POST', `${dnssecPath(zone)}/keys`, body)
      output().rows([flattened(key)], keyColumns)
    })
  dnssec
    .command('export-key <zone> <tag>')
    .description('print a private key in the form of BIND, for administrators')
    .option('--pem', 'in PEM')
    .option('--public', 'its DNSKEY instead, as BIND has it beside the private key')
    .action(async (zone, tag, { pem, public: isPublic }) => {
      const key = await keyOf(server, zone, tag)
      if (isPublic) {
        const { name } = await zoneOf(server, zone)
        output().text(`${name} 3600 IN DNSKEY ${key.dnskey}\n`)
        return
      }
      const texts = await server.get(`${dnssecPath(zone)}/keys/${key.id}/private`)
      output().text(String(pem ? texts.pem : texts.bind))
    })
  dnssec
    .command('delete-key <zone> <tag>')
    .description('delete a key of a zone that is not signed')
    .action(async (zone, tag) => {
      const key = await keyOf(server, zone, tag)
      await server.json('DELETE', `${dnssecPath(zone)}/keys/${key.id}`)
      output().done(`key ${tag} is deleted`)
    })
}

const keyColumns = ['tag', 'algorithm', 'role', 'goal', 'dnskey', 'signatures', 'ds', 'id']

function flattened({ states, ...key }: JsonObject): JsonObject {
  const { dnskey, zone_signatures: signatures, ds } = states as JsonObject
  return { ...key, dnskey, signatures, ds }
}

/** The fields of interest in the state of a zone. */
function summaryOf(state: JsonObject): JsonObject {
  const { status, policy_id, denial, serial, ds, ds_from, tasks, problems, waits_for } = state
  const steps = (tasks as readonly JsonObject[]).map(({ tag, step, waits_for: reason, until }) => {
    return `key ${tag}: ${step} (${reason}${until === null ? '' : `, until ${until}`})`
  })
  return { status, policy_id, denial, serial, ds, ds_from, waits_for, tasks: steps, problems }
}

function dnssecPath(zone: string): string {
  return `${zonePath(zone)}/dnssec`
}

async function task(
  session: Session,
  zone: string,
  name: string,
  body?: unknown,
): Promise<JsonObject> {
  return await session.json('POST', `${dnssecPath(zone)}/tasks/${name}`, body)
}

function keysOf(session: Session, zone: string): Promise<readonly JsonObject[]> {
  return session.list(`${dnssecPath(zone)}/keys`, 'keys')
}

/** @throws ClientError the zone has no such key */
async function keyOf(session: Session, zone: string, tag: string): Promise<JsonObject> {
  const keys = await keysOf(session, zone)
  const found = keys.find(key => [String(key.tag), key.id].includes(tag))
  if (found === undefined) throw new ClientError(`${zone} has no key ${tag}`)
  return found
}
