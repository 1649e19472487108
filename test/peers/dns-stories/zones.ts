import { types } from '../../../src/dns/codes.ts'
import { parseName } from '../../../src/dns/name.ts'
import { defaultPoolId } from '../../../src/model/pool.ts'
import { queryAddresses, queryUdp } from '../../helpers/query.ts'
import { honestScript, ScriptedMaster } from '../../helpers/scripted-master.ts'
import { until } from '../../helpers/until.ts'
import type { Stories } from './story.ts'

const copyText = (serial: number) => `
  @ 300 SOA ns host ${serial} 3600 600 86400 60
  @ 300 NS ns
  ns 300 A 192.0.2.1
  www 300 A 192.0.2.${serial}`

export const zoneStories: Stories = {
  'zone create, list, show, set, delete': async (t, { server, admin, token }) => {
    const made = await admin.json(
      'zone create shop.example. --email ops@example.com --ttl 300 --attributes tier:gold --description',
      'The shop',
    )
    t.match(made, {
      name: 'shop.example.',
      email: 'ops@example.com',
      ttl: 300,
      description: 'The shop',
      status: 'PENDING',
      action: 'CREATE',
      masters: '',
      attributes: 'tier:gold\n',
      type: 'PRIMARY',
      pool_id: defaultPoolId,
      version: 1,
    })
    const soa = { name: 'shop.example.', type: types.SOA }
    t.equal((await queryUdp(server.endpoint(), soa)).answers.length, 1, 'it is served')
    const [list] = await token.json('zone list --name shop.example.')
    t.match(list, { id: made.id, name: 'shop.example.', status: 'ACTIVE', action: 'NONE' })
    t.match(await token.json('zone show shop.example.'), { id: made.id, status: 'ACTIVE' })
    const changed = await token.json('zone set shop.example. --ttl 60 --no-description')
    t.match(changed, { ttl: 60, description: null, status: 'PENDING', action: 'UPDATE' })
    t.match(
      await admin.refusal('zone create SHOP.example. --email ops@example.com'),
      /Duplicate Zone/,
    )
    t.match(await admin.json('zone delete shop.example.'), {
      id: made.id,
      status: 'PENDING',
      action: 'DELETE',
    })
    t.match(await admin.refusal('zone show shop.example.'), /didn't resolve/)
    t.equal((await queryUdp(server.endpoint(), soa)).answers.length, 0, 'it is not served')
  },

  'zone axfr fetches a SECONDARY zone before its time, zone abandon leaves its answers': async (
    t,
    { server, admin, token },
  ) => {
    const apex = parseName('copy.example.')
    let script = honestScript(apex, copyText(7))
    const master = await ScriptedMaster.start(t, turn => script(turn))
    const { host, port } = master.address
    const address = `${host}:${port}`
    const made = await token.json(
      `zone create copy.example. --type SECONDARY --masters ${address} 192.0.2.1`,
    )
    const masters = `${address}, 192.0.2.1`
    t.match(made, { type: 'SECONDARY', masters, email: null, ttl: null })
    t.match(await admin.json(`zone set copy.example. --masters ${address}`), { masters: address })
    const show = () => token.json('zone show copy.example.')
    await until(show, ({ serial, status }) => serial === 7 && status === 'ACTIVE')

    script = honestScript(apex, copyText(8))
    t.equal(await token.run('zone axfr copy.example.'), '')
    await until(show, ({ serial, status }) => serial === 8 && status === 'ACTIVE')
    t.same(await queryAddresses(server.endpoint(), 'www.copy.example.'), ['192.0.2.8'])
    const [listed] = await admin.json('zone list --type SECONDARY')
    t.match(listed, { id: made.id, serial: 8, type: 'SECONDARY' })

    t.equal(await admin.run('zone abandon copy.example.'), '')
    t.match(await token.refusal('zone show copy.example.'), /didn't resolve/)
    t.same(await queryAddresses(server.endpoint(), 'www.copy.example.'), ['192.0.2.8'])
  },

  'zones of all projects, and on behalf of another': async (
    t,
    { member, token, sudoer, betaId },
  ) => {
    const mine = await member.json('zone create beta.example. --email ops@example.com')
    t.equal(mine.project_id, betaId)
    t.match(await token.refusal('zone show beta.example.'), /didn't resolve/)
    const shown = await token.json('zone show beta.example. --all-projects')
    t.match(shown, { id: mine.id, project_id: betaId })
    const list = await token.json('zone list --name beta.example. --all-projects')
    t.match(list, [{ id: mine.id, project_id: betaId, name: 'beta.example.' }])
    t.match(await member.refusal('zone list --all-projects'), /needs the role admin/)

    const sudo = `--sudo-project-id ${betaId}`
    const other = await sudoer.json(`zone create other.example. --email ops@example.com ${sudo}`)
    t.equal(other.project_id, betaId)
    for (const name of ['beta.example.', 'other.example.']) await member.run(`zone delete ${name}`)
  },
}
