import type { Stories } from './story.ts'

export const transferStories: Stories = {
  'zone transfer request create, list, show, set, and accept by another project': async (
    t,
    { admin, member, adminProjectId, betaId },
  ) => {
    const zone = await admin.json('zone create given.example. --email ops@example.com')
    const request = await admin.json(
      `zone transfer request create given.example. --target-project-id ${betaId} --description`,
      'For you',
    )
    const fields = {
      zone_id: zone.id,
      zone_name: 'given.example.',
      project_id: adminProjectId,
      target_project_id: betaId,
      status: 'ACTIVE',
    }
    t.match(request, { ...fields, description: 'For you', key: /^.{8,}$/ })
    const { id, key } = request
    t.match(await admin.json('zone transfer request list'), [{ id, key, ...fields }])
    const set = `zone transfer request set ${id}`
    t.match(await admin.json(`${set} --description`, 'Take it'), { description: 'Take it' })
    t.match(await admin.json(`${set} --no-description`), { id, key, description: null })

    const seen = await member.json(`zone transfer request show ${id}`)
    t.match(seen, { id, zone_name: 'given.example.', status: 'ACTIVE' })
    t.equal(seen.key, undefined, 'only its owner sees the key')
    t.match(await member.json('zone transfer request list'), [{ id, zone_id: zone.id }])
    const accept = `zone transfer accept request --transfer-id ${id} --key`
    t.match(await member.refusal(`${accept} wrong`), /[Kk]ey/)
    const accepted = await member.json(`${accept} ${key}`)
    const outcome = {
      id: accepted.id,
      zone_id: zone.id,
      project_id: betaId,
      zone_transfer_request_id: id,
      status: 'COMPLETE',
    }
    t.match(accepted, outcome)
    t.match(await member.json(`zone transfer accept show ${accepted.id}`), outcome)
    t.match(await admin.json('zone transfer accept list --all-projects'), [outcome])

    t.match(await member.json('zone show given.example.'), { id: zone.id, project_id: betaId })
    t.match(await admin.refusal('zone show given.example.'), /didn't resolve/)
    t.match(await member.refusal(`${accept} ${key}`), /./, 'a key is good once')
    await member.run('zone delete given.example.')
  },

  'zone transfer request delete takes the offer back': async (t, { admin, member }) => {
    await admin.run('zone create kept.example. --email ops@example.com')
    const request = await admin.json('zone transfer request create kept.example.')
    t.match(request, { target_project_id: null, status: 'ACTIVE' })
    t.equal(await admin.run(`zone transfer request delete ${request.id}`), '')
    t.match(
      await admin.refusal(`zone transfer request show ${request.id}`),
      /Could not find ZoneTransferRequest/,
    )
    const accept = `zone transfer accept request --transfer-id ${request.id} --key ${request.key}`
    t.match(await member.refusal(accept), /Could not find ZoneTransferRequest/)
    await admin.run('zone delete kept.example.')
  },
}
