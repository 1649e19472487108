import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import type { Endpoint } from '../../helpers/appliance.ts'
import { go, openZone, part, signIn, visit } from './browser.ts'

const run = promisify(execFile)

/** What delv says of a question, trusting a DS as it is given to a parent. */
async function delv(t: Test, { host, port }: Endpoint, ds: string): Promise<string> {
  const [tag, algorithm, kind, digest] = ds.split(' ')
  const anchors = join(t.testdir(), 'anchors')
  const anchor = `example.com. static-ds ${tag} ${algorithm} ${kind} "${digest}";`
  writeFileSync(anchors, `trust-anchors { ${anchor} };\n`)
  const server = [`@${host}`, '-p', String(port), '-a', anchors, '+root=example.com.']
  return (await run('delv', [...server, 'www.example.com.', 'A'])).stdout
}

t.test('a zone is signed by a click, and its DS is what delv validates it by', async t => {
  const settings = { ZONEWRIGHT_KEY_SECRET: 'a secret of the tests' }
  const { page, server, complaints } = await visit(t, { settings })
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  const create = [{ name: 'www', type: 'A', records: ['192.0.2.1'] }]
  await server.json('POST', '/v2/zones/example.com./changes', { create })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page)
  await openZone(page, 'example.com.')
  const { serial } = await server.json<{ serial: number }>('GET', '/v2/zones/example.com.')
  const unsigned = page.getByText(`Serial ${serial}`)
  await unsigned.waitFor()
  await part(page, 'DNSSEC')
  await page.getByRole('button', { name: 'Sign this zone' }).click()
  await page.getByRole('status').getByText('signed', { exact: true }).waitFor()
  await unsigned.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Copy: DS' }).click()
  await page.getByText('Copied.').waitFor()
  const ds = String(await page.evaluate('navigator.clipboard.readText()'))
  t.match(await delv(t, server.endpoint(), ds), /fully validated/)

  const wrong = ds.replace(/.$/, last => (last === '0' ? '1' : '0'))
  t.notMatch(await delv(t, server.endpoint(), wrong).catch(String), /fully validated/)

  await page.getByRole('button', { name: 'Remove the signatures now' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Remove the signatures now' }).click()
  await page.getByRole('button', { name: 'Sign this zone' }).waitFor()
  t.same(complaints, [])
})

t.test('a key is replaced by a click, and by a policy of the administrators', async t => {
  const settings = { ZONEWRIGHT_KEY_SECRET: 'a secret of the tests' }
  const { page, server, complaints } = await visit(t, { settings })
  await server.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await signIn(page)
  await go(page, 'Server')
  await part(page, 'DNSSEC policies')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByLabel('Name').fill('split')
  await page.getByLabel('Lifetime of a ZSK in days').fill('0')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Lifetime of a ZSK in days').fill('30')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: 'split', exact: true }).waitFor()

  await go(page, 'Zones')
  await openZone(page, 'example.com.')
  await part(page, 'DNSSEC')
  await page.getByLabel('Keys').selectOption('split')
  await page.getByRole('button', { name: 'Sign this zone' }).click()
  await page.getByRole('status').getByText('signed', { exact: true }).waitFor()
  const keys = page.getByRole('table', { name: 'Keys' }).getByRole('row')
  await keys.nth(2).waitFor()
  t.equal(await keys.count(), 3, 'the head, a KSK and a ZSK')
  await keys
    .filter({ hasText: 'ZSK' })
    .getByRole('button', { name: /^Replace/ })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
  await keys.nth(3).waitFor()
  await page.getByText('Under way').waitFor()
  t.same(complaints, [])
})
