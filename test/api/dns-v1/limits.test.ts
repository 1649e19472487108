import t from 'tap'
import { checkContract } from '../../helpers/contract.ts'
import { startDnsV1Api } from '../../helpers/dns-v1-api.ts'

t.test('limits are for anyone, and those of the own project', async t => {
  const { api } = await startDnsV1Api(t)
  const { admin, anonymous } = api
  const reader = await api.clientOf({ project: 'small', role: 'reader' })
  const path = '/v1/limits'
  const limits = (maxDomains: number, maxDomainRecords: number) => ({
    limits: { absolute: { maxDomains, maxDomainRecords } },
  })
  t.same((await reader.get(path)).body, limits(10, 500))
  await admin.patch('/v2/quotas/small', { zones: 3, zone_records: -1 })
  await checkContract(t, [
    { says: 'a reader', as: reader, method: 'GET', path, status: 200, answers: limits(3, -1) },
    { says: 'another', as: admin, method: 'GET', path, status: 200, answers: limits(10, 500) },
    { says: 'nobody', as: anonymous, method: 'GET', path, status: 401, answers: {} },
    {
      says: 'a verb that there is not',
      as: reader,
      method: 'PUT',
      path,
      body: {},
      status: 405,
      headers: { allow: 'GET' },
      answers: { type: 'invalid_method' },
    },
  ])
})
