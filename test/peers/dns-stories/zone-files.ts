import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { queryAddresses } from '../../helpers/query.ts'
import { until } from '../../helpers/until.ts'
import type { Stories } from './story.ts'

const zoneText = `$ORIGIN filed.example.
$TTL 1h
@     IN SOA ns hostmaster ( 7 2h 15m 2w
                             1h )  ; over two lines
      IN NS  ns
ns    IN A   192.0.2.53
www 5m   A   192.0.2.80
      IN TXT "a; b" "c"
`

export const zoneFileStories: Stories = {
  'zone import create, list, show, delete': async (t, { server, member, folder }) => {
    const file = join(folder, 'filed.zone')
    writeFileSync(file, zoneText)
    const made = await member.json(`zone import create ${file}`)
    t.match(made, { status: 'PENDING', message: null })
    const show = () => member.json(`zone import show ${made.id}`)
    const done = await until(show, ({ status }) => status !== 'PENDING')
    t.match(done, { id: made.id, status: 'COMPLETE', message: /./, zone_id: /^[0-9a-f-]{36}$/ })
    t.same(await queryAddresses(server.endpoint(), 'www.filed.example.'), ['192.0.2.80'])
    const [text] = await member.json('recordset list filed.example. --type TXT')
    t.match(text, { name: 'www.filed.example.', records: '"a; b" "c"' })
    const list = await member.json('zone import list')
    t.match(list, [{ id: made.id, zone_id: done.zone_id, status: 'COMPLETE' }])

    writeFileSync(file, zoneText.replace('192.0.2.80', '192.0.2.800'))
    const bad = await member.json(`zone import create ${file}`)
    const failed = await until(
      () => member.json(`zone import show ${bad.id}`),
      ({ status }) => status !== 'PENDING',
    )
    t.match(failed, { status: 'ERROR', message: /line 7\b.*192\.0\.2\.800/is })

    for (const { id } of [made, bad]) t.equal(await member.run(`zone import delete ${id}`), '')
    t.same(await member.json('zone import list'), [])
    t.match(await member.refusal(`zone import show ${made.id}`), /Could not find ZoneImport/)
    await member.run('zone delete filed.example.')
  },

  'zone export create, list, show, showfile, delete': async (t, { admin, token }) => {
    const zone = await admin.json('zone create drawer.example. --email ops@example.com --ttl 60')
    await admin.run('recordset create drawer.example. www --type A --record 192.0.2.3')
    const made = await admin.json('zone export create drawer.example.')
    t.match(made, { zone_id: zone.id })
    const done = await until(
      () => token.json(`zone export show ${made.id}`),
      ({ status }) => status !== 'PENDING',
    )
    t.match(done, { id: made.id, status: 'COMPLETE', zone_id: zone.id, location: /export/ })
    t.match(await token.json('zone export list'), [{ id: made.id, status: 'COMPLETE' }])
    const { data } = await token.json(`zone export showfile ${made.id}`)
    t.match(data, /^\$ORIGIN drawer\.example\.$/m)
    t.match(data, /^www\S*\s.*\bA\s+192\.0\.2\.3$/m)
    t.equal(await admin.run(`zone export delete ${made.id}`), '')
    t.match(await admin.refusal(`zone export showfile ${made.id}`), /Could not find ZoneExport/)
    await admin.run('zone delete drawer.example.')
  },
}
