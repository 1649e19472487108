import t, { type Test } from 'tap'
import { adminToken } from '../helpers/appliance.ts'
import { administrationStories, tldStory } from './dns-stories/administration.ts'
import { recordsetStories } from './dns-stories/recordsets.ts'
import type { Cast, Stories } from './dns-stories/story.ts'
import { transferStories } from './dns-stories/transfers.ts'
import { zoneFileStories } from './dns-stories/zone-files.ts'
import { zoneStories } from './dns-stories/zones.ts'
import { Openstack } from './openstack.ts'
import { adminPassword, startWholeServer } from './whole-server.ts'

// `openstack` with its DNS commands against Designate's paths of the whole process, and what the name server
// then answers.

const stories: Stories = {
  ...zoneStories,
  ...recordsetStories,
  ...transferStories,
  ...zoneFileStories,
  ...administrationStories,
  'tld create, list, show, set, delete': tldStory,
}

t.test('every command for zones, record sets and what administrators keep', async t => {
  const cast = await gather(t)
  for (const [name, story] of Object.entries(stories)) await t.test(name, t => story(t, cast))
  await t.test('no command has been forgotten', async t => {
    const clients = [cast.admin, cast.token, cast.member, cast.sudoer]
    const succeeded = clients.flatMap(client => client.succeeded)
    const commands = await commandsOf(cast.admin)
    t.ok(commands.length > 50, `the client has ${commands.length} commands`)
    const isForgotten = (command: string) =>
      !succeeded.some(line => `${line} `.startsWith(`${command} `))
    t.same(commands.filter(isForgotten), [])
  })
})

async function gather(t: Test): Promise<Cast> {
  const { server, folder } = await startWholeServer(t)
  const url = server.apiUrl
  const byPassword = Openstack.withPassword({
    url,
    user: 'admin',
    password: adminPassword,
    project: 'admin',
  })
  const admin = byPassword.session(t)
  const { id: betaId } = await admin.json('project create beta')
  await admin.run('user create jo --password secret-of-peers')
  await admin.run('role add member --user jo --project beta')
  const jo = Openstack.withPassword({
    url,
    user: 'jo',
    password: 'secret-of-peers',
    project: 'beta',
  })
  const credential = await jo.json('application credential create deploy')
  return {
    server,
    admin,
    token: Openstack.withToken(url, adminToken).session(t),
    member: Openstack.withApplicationCredential(url, credential).session(t),
    sudoer: byPassword,
    adminProjectId: (await admin.json('project show admin')).id,
    betaId,
    folder,
  }
}

/** What the DNS plugin adds to the client, from the client's own list. */
async function commandsOf(openstack: Cast['admin']): Promise<readonly string[]> {
  const groups = await openstack.json('command list --group openstack.dns.v2')
  return groups.flatMap(({ Commands }: { Commands: readonly string[] }) => Commands)
}
