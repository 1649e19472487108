import { useRoute } from 'preact-iso'
import { listRows } from '../api/server.ts'
import { texts } from '../texts.ts'
import { Complaint } from '../ui/field.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { Tabs } from '../ui/tabs.tsx'
import { Health } from './server/health.tsx'
import { blacklists, dnssecPolicies, pools, tlds, tsigKeys } from './server/kinds.ts'
import { Nodes } from './server/nodes.tsx'
import { Prices } from './server/prices.tsx'
import { Rows } from './server/rows.tsx'

const parts = [
  'health',
  'nodes',
  'pools',
  'tsigkeys',
  'dnssec_policies',
  'blacklists',
  'tlds',
  'prices',
] as const

/** The health of the server, and the rows that administrators manage. */
export function ServerPage() {
  const { part = 'health' } = useRoute().params
  return (
    <section class="page">
      <h1>{texts.server.title}</h1>
      <Tabs
        label={texts.server.parts}
        current={part}
        tabs={parts.map(name => ({
          name,
          text: texts.server[name],
          href: name === 'health' ? '/console/server' : `/console/server/${name}`,
        }))}
      />
      {part === 'health' && <Health />}
      {part === 'nodes' && <Nodes />}
      {part === 'pools' && <Rows key={part} kind={pools} />}
      {part === 'dnssec_policies' && <Rows key={part} kind={dnssecPolicies} />}
      {part === 'blacklists' && <Rows key={part} kind={blacklists} />}
      {part === 'tlds' && <Rows key={part} kind={tlds} />}
      {part === 'tsigkeys' && <TsigKeys />}
      {part === 'prices' && <Prices />}
    </section>
  )
}

/** Keys belong to pools, so the pools are read first. */
function TsigKeys() {
  const { value, error } = useLoaded(readPoolNames)
  if (value === undefined) return <Complaint text={error} />
  return <Rows kind={tsigKeys(value)} />
}

async function readPoolNames(): Promise<Readonly<Record<string, string>>> {
  const { items } = await listRows('pools')
  return Object.fromEntries(items.map(({ id, name }) => [id, String(name)]))
}
