import { type Command, Option } from 'commander'
import { wholeNumber } from './client-error.ts'
import type { Context } from './context.ts'
import type { JsonObject, Session } from './session.ts'

const builtIn = ['default', 'ed25519', 'nsec3']
const denials = ['NSEC', 'NSEC3', 'NSEC3_OPT_OUT']
const columns = [
  'name',
  'keys',
  'algorithm',
  'denial',
  'ksk_lifetime_days',
  'zsk_lifetime_days',
  'id',
]

/** `dnssec policy …`: which keys zones have, for administrators. */
export function addDnssecPolicyCommands(dnssec: Command, { server, output }: Context): void {
  const policy = dnssec
    .command('policy')
    .description(
      'which keys zones have, for administrators; default, ed25519 and nsec3 are built in',
    )
  policy
    .command('list')
    .description('list policies other than those that are built in')
    .action(async () => output().rows(await policies(server), columns))
  policy
    .command('create <name>')
    .description('make a policy')
    .addOption(new Option('--keys <kind>').choices(['CSK', 'KSK+ZSK']).default('CSK'))
    .addOption(new Option('--algorithm <number>').choices(['8', '13', '15']).default('13'))
    .option(
      '--ksk-days <days>',
      'how long a CSK or KSK is used; without end by default',
      wholeNumber,
    )
    .option('--zsk-days <days>', 'how long a ZSK is used; without end by default', wholeNumber)
    .addOption(
      new Option('--denial <kind>', 'how names are denied').choices(denials).default('NSEC'),
    )
    .option('--ds-digest <number...>', '2 for SHA-256, 4 for SHA-384')
    .action(async (name, { keys, algorithm, denial, kskDays, zskDays, dsDigest }) => {
      const body = {
        ...{ name, keys, denial, algorithm: Number(algorithm) },
        ksk_lifetime_days: kskDays,
        zsk_lifetime_days: zskDays,
        ds_digests: dsDigest?.map(Number),
      }
      output().object(await server.json('POST', '/v2/dnssec_policies', body))
    })
  policy
    .command('delete <name>')
    .description('delete a policy that no zone uses')
    .action(async name => {
      await server.json('DELETE', `/v2/dnssec_policies/${await policyId(server, name)}`)
      output().done(`${name} is deleted`)
    })
}

/** The id of a policy that the user has given by its name or id. */
export async function policyId(session: Session, name: string): Promise<string> {
  if (builtIn.includes(name)) return name
  const found = (await policies(session)).find(policy => policy.name === name)
  // Taken as an id; the server reports if there is no such policy.
  return found === undefined ? name : String(found.id)
}

function policies(session: Session): Promise<readonly JsonObject[]> {
  return session.list('/v2/dnssec_policies?limit=1000', 'dnssec_policies')
}
