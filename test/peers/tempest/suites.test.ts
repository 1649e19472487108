import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Appliance } from '../../helpers/appliance.ts'
import { serverFolder } from '../../helpers/server-folder.ts'
import { adminPassword } from '../whole-server.ts'
import { makeAccounts } from './accounts.ts'
import { knownFailures } from './known-failures.ts'
import { type Outcome, runSuite, type SuiteRun } from './run-suite.ts'
import { tempestSettings } from './settings.ts'

// The suites that OpenStack tests its Designate and CloudKitty with, unmodified, as Debian packages them.

t.setTimeout(1_200_000)

t.test('Designate’s suite: all but what is known to fail passes', async t => {
  // Names of floating IPs need a Neutron.
  const outcomes = await outcomesOf(t, 'designate_tempest_plugin', { without: 'test_ptrs' })
  const failed = new Set(namesOf(outcomes, isFailure))
  for (const name of Object.keys(knownFailures))
    t.ok(failed.has(name), `${name} is known to fail, and fails`)
  const isUnexpected = (outcome: Outcome) =>
    isFailure(outcome) && !(nameOf(outcome) in knownFailures)
  for (const outcome of outcomes.filter(isUnexpected))
    t.fail(nameOf(outcome), { text: outcome.text })
  const passed = namesOf(outcomes, isSuccess)
  t.comment(`${passed.length} of ${outcomes.length} passed, ${failed.size} are known to fail`)
  // A suite that no longer finds its tests must not pass.
  t.ok(passed.length >= 330, `${passed.length} passed`)
})

t.test('CloudKitty’s suite: all passes', async t => {
  const outcomes = await outcomesOf(t, 'cloudkitty_tempest_plugin', {})
  for (const outcome of outcomes.filter(isFailure)) t.fail(nameOf(outcome), { text: outcome.text })
  const passed = namesOf(outcomes, isSuccess)
  t.comment(`${passed.length} of ${outcomes.length} passed`)
  t.ok(passed.length >= 33, `${passed.length} passed`)
})

/** Runs a suite against a server of its own. */
async function outcomesOf(
  t: Test,
  suite: string,
  choice: Pick<SuiteRun, 'without'>,
): Promise<readonly Outcome[]> {
  const root = serverFolder(t)
  const folder = join(root, 'tempest')
  mkdirSync(folder)
  const server = await Appliance.start({
    dataDirectory: join(root, 'data'),
    environment: { ZONEWRIGHT_ADMIN_PASSWORD: adminPassword, ZONEWRIGHT_ADMIN_API: 'on' },
  })
  t.teardown(() => server.stop())
  const accountsFile = join(folder, 'accounts.yaml')
  // JSON is YAML.
  writeFileSync(accountsFile, JSON.stringify(await makeAccounts(server)))
  const facts = { apiUrl: server.apiUrl, dns: server.endpoint(), folder, accountsFile }
  writeFileSync(join(folder, 'tempest.conf'), tempestSettings(facts))
  return runSuite({ suite, folder, ...choice })
}

function isFailure({ status }: Outcome): boolean {
  return status === 'fail' || status === 'uxsuccess' || status === 'inprogress'
}

/** A test that expects a failure, and has it, has passed as well. */
function isSuccess({ status }: Outcome): boolean {
  return status === 'success' || status === 'xfail'
}

function namesOf(outcomes: readonly Outcome[], isMeant: (outcome: Outcome) => boolean): string[] {
  return outcomes.filter(isMeant).map(nameOf)
}

/** The name of a test below the package's, without what it is tagged with. */
function nameOf({ id }: Outcome): string {
  return id.replace(/\[[^\]]*\]/, '').replace(/^\w+_tempest_plugin\.tests\./, '')
}
