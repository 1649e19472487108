import { queryAddresses } from '../../helpers/query.ts'
import type { Stories } from './story.ts'

export const recordsetStories: Stories = {
  'recordset create, list, show, set, delete': async (t, { server, admin, token }) => {
    await token.run('zone create records.example. --email ops@example.com')
    const made = await admin.json(
      'recordset create records.example. www --type A --record 192.0.2.2 --record 192.0.2.1',
    )
    t.match(made, {
      name: 'www.records.example.',
      type: 'A',
      records: '192.0.2.2\n192.0.2.1',
      status: 'PENDING',
      action: 'CREATE',
      zone_name: 'records.example.',
      ttl: null,
    })
    const served = () => queryAddresses(server.endpoint(), 'www.records.example.')
    t.same(await served(), ['192.0.2.2', '192.0.2.1'])
    const list = await token.json('recordset list records.example. --type A')
    t.match(list, [{ id: made.id, records: '192.0.2.2\n192.0.2.1', status: 'ACTIVE' }])
    const place = 'records.example. www.records.example.'
    const changed = await token.json(`recordset set ${place} --record 192.0.2.9 --ttl 30`)
    t.match(changed, { records: '192.0.2.9', ttl: 30, action: 'UPDATE', version: 2 })
    t.same(await served(), ['192.0.2.9'])
    t.match(await token.json(`recordset show ${place}`), { id: made.id, status: 'ACTIVE' })
    const second = 'recordset create records.example. www --type CNAME --record a.example.'
    t.match(await token.refusal(second), /CNAME/)
    t.match(await token.json(`recordset delete ${place}`), { id: made.id, action: 'DELETE' })
    t.match(await token.refusal(`recordset show ${place}`), /didn't resolve/)
    t.same(await served(), [])
    await token.run('zone delete records.example.')
  },

  'a text with quotes and blanks is what was typed': async (t, { admin }) => {
    await admin.run('zone create texts.example. --email ops@example.com')
    const texts = ['"v=spf1 -all"', '"a \\"quoted\\" word"', 'bare']
    const create = 'recordset create texts.example. @ --type TXT --description'
    const options = texts.flatMap(text => ['--record', text])
    const made = await admin.json(create.replace('@', 'texts.example.'), 'With blanks', ...options)
    t.equal(made.records, texts.join('\n'))
    t.equal(made.description, 'With blanks')
    const found = await admin.json('recordset list texts.example. --data bare')
    t.match(found, [{ id: made.id, records: texts.join('\n') }])
    await admin.run('zone delete texts.example.')
  },

  'recordset list over all zones, of all projects, and on behalf of another': async (
    t,
    { admin, member, token, sudoer, adminProjectId, betaId },
  ) => {
    await admin.run('zone create own.example. --email ops@example.com')
    await admin.run('recordset create own.example. www --type A --record 192.0.2.1')
    await member.run('zone create theirs.example. --email ops@example.com')
    await member.run('recordset create theirs.example. www --type A --record 192.0.2.2')

    const own = { name: 'www.own.example.', zone_name: 'own.example.', records: '192.0.2.1' }
    const theirs = {
      name: 'www.theirs.example.',
      zone_name: 'theirs.example.',
      records: '192.0.2.2',
    }
    const list = 'recordset list all --type A --name www.*'
    t.match(await admin.json(list), [own])
    t.match(await member.json(list), [theirs])
    const everybodys = await token.json(`${list} --all-projects`)
    t.match(everybodys, [
      { ...own, project_id: adminProjectId },
      { ...theirs, project_id: betaId },
    ])
    t.match(await sudoer.json(`${list} --sudo-project-id ${betaId}`), [theirs])

    const apex = 'own.example. own.example.'
    const [ns] = await admin.json('recordset list own.example. --type NS')
    t.match(await admin.refusal(`recordset delete own.example. ${ns.id}`), /[Mm]anaged/)
    t.match(await admin.refusal(`recordset show ${apex}`), /Multiple matches/)
    await admin.run('zone delete own.example.')
    await member.run('zone delete theirs.example.')
  },
}
