import t from 'tap'
import { Appliance } from '../helpers/appliance.ts'
import { queryAddresses } from '../helpers/query.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'

// A zone file of many records goes in, one record is changed, and the export is the same text except for that record: through threads, log,
// segments and a start after kill -9.

/** A million take some minutes; more than a few thousand are more than one commit and one segment. */
const recordCount = Number(process.env.ZONE_FILE_RECORDS ?? 10_000)
const apex = 'large.example.'
const changed = recordCount - 7

t.test('a large zone file is exported as it was imported, but for what was changed', async t => {
  const dataDirectory = serverFolder(t)
  let server = await Appliance.start({ dataDirectory })
  t.teardown(() => server.kill())
  await server.liftQuotas()
  const lines = Array.from({ length: recordCount }, (_, i) => lineOf(i))
  const given = [`$ORIGIN ${apex}`, '$TTL 300', '', '@ SOA ns.old. ops 7 1 2 3 4', ...lines]
  const zoneId = await imported(server, `${given.join('\n')}\n`)
  const before = await exported(server, zoneId)
  t.same(firstDifference(recordsIn(before), lines), undefined, 'all of it came out')

  const name = `host${changed}.${apex}`
  const { recordsets } = await server.json<{ recordsets: readonly { id: string }[] }>(
    'GET',
    `/v2/zones/${zoneId}/recordsets?name=${name}`,
  )
  const path = `/v2/zones/${zoneId}/recordsets/${recordsets[0]?.id}`
  await server.json('PATCH', path, { records: ['192.0.2.99'] })
  const serialOf = (text: string) => / IN SOA \S+ \S+ (\d+) /.exec(text)?.[1] ?? ''
  const after = await exported(server, zoneId)
  const expected = before
    .replace(` ${serialOf(before)} `, ` ${serialOf(after)} `)
    .replace(`${lineOf(changed)}\n`, `${name}  IN A 192.0.2.99\n`)
  t.not(serialOf(after), serialOf(before), 'the serial advanced')
  t.same(firstDifference(after.split('\n'), expected.split('\n')), undefined)

  await server.kill()
  server = await Appliance.start({ dataDirectory })
  t.same(
    firstDifference((await exported(server, zoneId)).split('\n'), expected.split('\n')),
    undefined,
  )
  t.same(await queryAddresses(server.endpoint(), name), ['192.0.2.99'])
  t.same(await queryAddresses(server.endpoint(), `host0.${apex}`), ['10.0.0.0'])
  t.equal(await server.stop(), 0)
})

function lineOf(i: number): string {
  return `host${i}.${apex}  IN A 10.${(i >>> 16) & 255}.${(i >>> 8) & 255}.${i & 255}`
}

/** Returns the zone's id. */
async function imported(server: Appliance, file: string): Promise<string> {
  const tasks = '/v2/zones/tasks/imports'
  const { id } = await server.json<{ id: string }>('POST', tasks, { zonefile: file })
  type Task = { readonly status: string; readonly message: string; readonly zone_id: string }
  const task = await until(
    () => server.json<Task>('GET', `${tasks}/${id}`),
    ({ status }) => status !== 'PENDING',
  )
  if (task.status !== 'COMPLETE') throw new Error(task.message)
  return task.zone_id
}

async function exported(server: Appliance, zoneId: string): Promise<string> {
  const { id } = await server.json<{ id: string }>('POST', `/v2/zones/${zoneId}/tasks/export`)
  const response = await server.request('GET', `/v2/zones/tasks/exports/${id}/export`)
  return response.text()
}

/** What is not of the apex. */
function recordsIn(text: string): readonly string[] {
  return text.split('\n').filter(line => line.startsWith('host'))
}

/** Of two million lines one pair is enough to see. */
function firstDifference(found: readonly string[], wanted: readonly string[]) {
  const length = Math.max(found.length, wanted.length)
  for (let line = 0; line < length; line += 1)
    if (found[line] !== wanted[line]) return { line, found: found[line], wanted: wanted[line] }
  return undefined
}
