import t from 'tap'
import { NoRoomError } from '../../../src/durable/no-room.ts'
import { Account } from '../../../src/rating/metering/account.ts'
import { UsageJournal } from '../../../src/rating/metering/usage-journal.ts'
import {
  AccountNumbers,
  decodeRecord,
  encodeRecord,
} from '../../../src/rating/metering/usage-record.ts'
import { crashAnywhere } from '../../helpers/crash-pictures.ts'
import { ownerOf } from '../../helpers/metered-zones.ts'
import { allLost, SimulatedDisk } from '../../helpers/simulated-disk.ts'

const folder = '/usage'
const head = (atMillis: number) => ({ atMillis, firstHour: 100 })

function accountOf(zoneId: string, responses: number): Account {
  const account = Account.open(ownerOf(zoneId), 360_000_000, 3)
  account.count(0, responses, 100)
  return account
}

const counts = (accounts: readonly Account[] = []) =>
  accounts.map(account => [account.owner.zoneId, account.isOpen, account.tallyOf(100)?.[0]])

t.test('a record of before zones were signed is read as of an unsigned zone', async t => {
  const kept = Buffer.from(
    '016401010101610a612e6578616d706c652e075052494d41525904706f6f6c0270310180d4d4ab01' +
      '0301640101',
    'hex',
  )
  const accounts = new Map<number, Account>()
  t.same(decodeRecord(kept, accounts), head(1))
  const [account] = accounts.values()
  t.same(account?.owner, ownerOf('a'))
  t.same(account?.state, accountOf('a', 1).state)
  t.same(encodeRecord(head(1), [accountOf('a', 1)], new AccountNumbers()), kept)
})

t.test('a signed zone is one when it is read', async t => {
  const signed = Account.open({ ...ownerOf('a'), isSigned: true }, 360_000_000, 3)
  const accounts = new Map<number, Account>()
  decodeRecord(encodeRecord(head(1), [signed, accountOf('b', 1)], new AccountNumbers()), accounts)
  t.same(
    [...accounts.values()].map(({ owner }) => owner),
    [signed.owner, ownerOf('b')],
  )
})

t.test('very many accounts are written while they may change', async t => {
  const disk = new SimulatedDisk()
  const { journal } = await UsageJournal.open(disk, folder)
  const accounts = Array.from({ length: 2500 }, (_, i) => accountOf(`zone-${i}`, 1))
  await journal.begin(head(1), [])
  const appended = journal.append(head(2), accounts)
  // A change while others are written is in this append or the next.
  accounts.at(-1)?.count(0, 5, 100)
  await appended
  await journal.close()
  const { recovered } = await UsageJournal.open(disk, folder)
  t.match(recovered, head(2))
  t.equal(recovered?.accounts.length, 2500)
})

t.test('what was appended last is what an account is', async t => {
  const disk = new SimulatedDisk()
  const { journal, recovered } = await UsageJournal.open(disk, folder)
  t.equal(recovered, undefined)
  const [a, b, c] = ['a', 'b', 'c'].map(id => accountOf(id, 1))
  await journal.begin(head(1), [a!, b!])
  a!.count(0, 1, 100)
  await journal.append(head(2), [a!])
  a!.count(0, 2 ** 45, 100)
  a!.close(360_000_500)
  await journal.append(head(3), [c!, a!])
  await journal.close()
  const again = await UsageJournal.open(disk, folder)
  t.match(again.recovered, head(3))
  t.same(counts(again.recovered?.accounts), [
    ['a', false, 2 + 2 ** 45],
    ['b', true, 1],
    ['c', true, 1],
  ])
  t.same(again.recovered?.accounts[0]?.state, a!.state)
  t.same(again.recovered?.accounts[0]?.owner, a!.owner)
})

t.test(
  'another segment begins with all there is, however much, and replaces the one before',
  async t => {
    const disk = new SimulatedDisk()
    const { journal } = await UsageJournal.open(disk, folder)
    const accounts = Array.from({ length: 2500 }, (_, i) => accountOf(String(i), i))
    await journal.begin(head(1), accounts.slice(1))
    await journal.begin(head(2), accounts)
    await journal.append(head(3), [accounts[7]!])
    t.same(await disk.list(folder), ['0000000000000004.log'])
    await journal.close()
    const { recovered } = await UsageJournal.open(disk, folder)
    t.same(
      counts(recovered?.accounts),
      accounts.map((_, i) => [String(i), true, i]),
    )
  },
)

t.test('a segment whose beginning was cut off by a crash is none', async t => {
  const disk = new SimulatedDisk()
  const { journal } = await UsageJournal.open(disk, folder)
  await journal.begin(head(1), [accountOf('a', 1)])
  await journal.close()
  const torn = await disk.create(`${folder}/0000000000000002.log`)
  await torn.append(Buffer.from('ZwRf torn'))
  await torn.sync()
  await torn.close()
  await disk.syncDirectory(folder)
  const again = await UsageJournal.open(disk, folder)
  t.match(again.cut, { path: `${folder}/0000000000000002.log`, offset: 0, octets: 9 })
  t.same(counts(again.recovered?.accounts), [['a', true, 1]])
  await again.journal.begin(head(2), again.recovered?.accounts ?? [])
  t.same(await disk.list(folder), ['0000000000000002.log'])
})

t.test('after a failed write another segment must be begun', async t => {
  const disk = new SimulatedDisk()
  const { journal } = await UsageJournal.open(disk, folder)
  await t.rejects(journal.append(head(1), []), RangeError)
  await journal.begin(head(1), [accountOf('a', 1)])
  t.ok((journal.length ?? 0) > 0)
  disk.failsAt = disk.changeCount
  await t.rejects(journal.append(head(2), [accountOf('a', 2)]))
  t.equal(journal.length, undefined)
  await t.rejects(journal.append(head(2), [accountOf('a', 2)]), RangeError)
})

t.test('a segment that there is no room for leaves nothing, and the one before stays', async t => {
  const disk = new SimulatedDisk()
  const { journal } = await UsageJournal.open(disk, folder)
  await journal.begin(head(1), [accountOf('a', 1)])
  const before = disk.paths
  disk.capacityOctets = disk.usedOctets + 10
  await t.rejects(journal.begin(head(2), [accountOf('a', 2)]), NoRoomError)
  t.same(disk.paths, before, 'each attempt')
  const found = await UsageJournal.open(disk.afterKill(), folder)
  t.same(counts(found.recovered?.accounts), [['a', true, 1]])
  disk.capacityOctets = Number.POSITIVE_INFINITY
  await journal.begin(head(3), [accountOf('a', 3)])
  const again = await UsageJournal.open(disk.afterKill(), folder)
  t.same(counts(again.recovered?.accounts), [['a', true, 3]])
})

t.test('a crash at any change of the disk leaves all that was acknowledged, and a log', async t => {
  const disk = new SimulatedDisk()
  const accounts = ['a', 'b', 'c'].map(id => accountOf(id, 1))
  const states = ['']
  const textOf = (known: readonly Account[] = []) => JSON.stringify(counts(known).sort())
  const run = async (acknowledge: () => void) => {
    const { journal } = await UsageJournal.open(disk, folder)
    for (let i = 0; i < 12; i += 1) {
      for (const account of accounts) account.count(0, i, 100)
      states.push(textOf(accounts))
      if (i % 4 === 0) await journal.begin(head(i), accounts)
      else await journal.append(head(i), accounts)
      acknowledge()
    }
    await journal.close()
  }
  const { defects, pictureCount } = await crashAnywhere(
    disk,
    run,
    async ({ disk, acknowledged }) => {
      const { journal, recovered } = await UsageJournal.open(disk, folder)
      const text = recovered === undefined ? '' : textOf(recovered.accounts)
      if (!states.slice(acknowledged).includes(text)) return `the accounts are ${text}`
      await journal.begin(head(99), [...(recovered?.accounts ?? []), accountOf('new', 1)])
      const again = await UsageJournal.open(disk.after(allLost), folder)
      const expected = (recovered?.accounts.length ?? 0) + 1
      return again.recovered?.accounts.length === expected ? undefined : 'a second crash lost some'
    },
  )
  t.same(defects.slice(0, 5), [])
  t.ok(pictureCount > 40, `${pictureCount} pictures`)
})
