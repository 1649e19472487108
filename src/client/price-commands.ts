import type { Command } from 'commander'
import { ClientError, exitCodes } from './client-error.ts'
import type { Context } from './context.ts'
import { parseJson } from './json-text.ts'
import type { JsonObject } from './session.ts'

const path = '/v2/prices'
const columns = ['service', 'field', 'value', 'type', 'cost', 'description']

type Rule = {
  readonly service: string
  readonly field?: string
  readonly value?: string
  readonly type: 'flat' | 'rate'
  readonly cost: string
  readonly description?: string
}

type Applied = {
  readonly model: string
  readonly added: number
  readonly present: number
  readonly kept: readonly string[]
}

/** `price …`: the prices that apply to all projects, for administrators. */
export function addPriceCommands(program: Command, context: Context): void {
  const { server, output } = context
  const rules = async () => (await server.get(path)).rules as readonly Rule[]
  const replace = async (changed: readonly Rule[]) => {
    const list = await server.json('PUT', path, { rules: changed })
    output().rows(list.rules as readonly JsonObject[], columns)
  }
  const price = program
    .command('price')
    .description('prices of what is metered, for administrators')
  price
    .command('list')
    .description('list the prices that apply to all projects')
    .action(async () => output().rows(await rules(), columns))
  price
    .command('set <metric> <cost>')
    .description('set what a unit of a metric costs, such as dns.queries; from the next hour on')
    .option('--where <field=value>', 'only where a field has this value, such as rcode=NXDOMAIN')
    .option('--rate', 'a factor of the price without --where, in place of an amount')
    .option('--description <text>')
    .action(async (service, cost, { where, rate = false, description = '' }) => {
      const part = partOf(service, where)
      const type = rate ? 'rate' : 'flat'
      const others = (await rules()).filter(rule => !isOf(rule, part))
      await replace([...others, { ...part, type, cost, description }])
    })
  price
    .command('delete <metric>')
    .description(
      'delete the price of a metric, or of a part of it, which then costs what the metric costs',
    )
    .option('--where <field=value>', 'only the price where a field has this value')
    .action(async (service, { where }) => {
      const part = partOf(service, where)
      const present = await rules()
      const others = present.filter(rule => !isOf(rule, part))
      if (others.length === present.length)
        throw new ClientError(`there is no price of ${[service, where].filter(Boolean).join(' ')}`)
      await replace(others)
    })
  price
    .command('edit')
    .description('edit all prices in $EDITOR; what this month would cost by them is shown before')
    .option('-y, --yes', 'without asking')
    .action(async ({ yes }) => {
      const before = `${JSON.stringify(await rules(), null, 2)}\n`
      const after = await context.edit(before, 'prices.json')
      if (after === before) return output().done('nothing was changed')
      const changed = parseJson('prices.json', after) as readonly Rule[]
      const month = new Date().toISOString().slice(0, 7)
      const asked = { month, rules: changed }
      const sums = await server.json('POST', `${path}/preview`, asked)
      output().done(`${month} has cost ${sums.cost}; by these prices ${sums.preview}`)
      if (!yes && !(await context.confirm('Set these prices')))
        throw new ClientError('nothing was changed')
      await replace(changed)
    })
  price
    .command('apply <model>')
    .description('add the prices of a model, "default"; prices that are set stay')
    .action(async (model: string) => {
      const modelPath = `${path}/${encodeURIComponent(model)}`
      const applied = (await server.json('PUT', modelPath)) as Applied
      if (program.opts().json) output().object(applied)
      else output().text(appliedText(applied))
    })
}

type Part = Pick<Rule, 'service' | 'field' | 'value'>

/** @throws ClientError */
function partOf(service: string, where: string | undefined): Part {
  if (where === undefined) return { service }
  const [, field, value] = /^([^=]+)=(.+)$/s.exec(where) ?? []
  if (field === undefined || value === undefined)
    throw new ClientError(`--where ${where}: expected field=value`, exitCodes.usage)
  return { service, field, value }
}

function isOf(rule: Rule, { service, field, value }: Part): boolean {
  return rule.service === service && rule.field === field && rule.value === value
}

function appliedText({ model, added, present, kept }: Applied): string {
  return [
    `Price model "${model}": ${added} rules added, ${present} present.`,
    ...kept.map(rule => `Another price is set and stays: ${rule}`),
    'Periods that are rated from now on go by it; reprocess or reset scopes for those before.',
  ].join('\n')
}
