import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { defaultPoolId } from '../../src/model/pool.ts'
import { tsigAlgorithms } from '../../src/model/tsig-key.ts'
import { Appliance } from '../helpers/appliance.ts'
import { serverFolder } from '../helpers/server-folder.ts'

// Signed queries by the tools of BIND and Knot, which verify the answers with codecs of their own.

const run = promisify(execFile)
const secret = Buffer.alloc(64, 7).toString('base64')
const server = await Appliance.start({ dataDirectory: serverFolder(t) })
t.teardown(() => server.stop())
await server.json('POST', '/v2/zones', { name: 'peer.example.', email: 'ops@example.com' })
const { host, port } = server.endpoint()

for (const tool of ['dig', 'kdig']) {
  t.test(`${tool} -y: each algorithm over UDP and TCP, and a wrong secret`, async t => {
    for (const algorithm of tsigAlgorithms) {
      const name = `${tool}-${algorithm}.`
      const pool = { scope: 'POOL', resource_id: defaultPoolId }
      await server.json('POST', '/v2/tsigkeys', { name, algorithm, secret, ...pool })
      const ask = async (shared: string, transport: string) => {
        const words = [`@${host}`, '-p', `${port}`, '-y', `${algorithm}:${name}:${shared}`]
        const found = await run(tool, [...words, transport, 'peer.example.', 'SOA']).catch(
          error => error,
        )
        return `${found.stdout}${found.stderr}`
      }
      for (const transport of ['+notcp', '+tcp']) {
        const text = await ask(secret, transport)
        t.match(text, /status: NOERROR/, `${algorithm} ${transport}`)
        t.notMatch(text, /erif|BADSIG|could not be validated/, `${algorithm} ${transport}`)
        t.match(await ask('d3Jvbmc=', transport), /BADSIG/)
      }
    }
  })
}
