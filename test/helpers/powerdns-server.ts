import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Test } from 'tap'
import { startPeerProcess } from './peer-process.ts'

// PowerDNS with its HTTP API and its own database.

const schema = '/usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql'
const key = 'the-key-of-the-tests'

export type PowerDnsApi = { readonly url: string; readonly key: string }

/** Starts it; it ends with the test. */
export async function startPowerDnsApi(t: Test): Promise<PowerDnsApi> {
  const peer = await startPeerProcess({
    name: 'pdns_server',
    recipe: ({ folder, port }) => {
      const database = join(folder, 'zones.sqlite3')
      execFileSync('sqlite3', [database, `.read ${schema}`])
      const settings = {
        ...{ launch: 'gsqlite3', 'gsqlite3-database': database, 'gsqlite3-dnssec': 'yes' },
        'socket-dir': join(folder, 'run'),
        ...{ 'local-address': '127.0.0.2', 'local-port': port, 'disable-syslog': 'yes' },
        ...{ api: 'yes', 'api-key': key, 'webserver-port': port, 'webserver-loglevel': 'none' },
        ...{ daemon: 'no', guardian: 'no', setuid: '', master: 'yes', slave: 'yes' },
      }
      const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
      return {
        files: { 'pdns.conf': `${lines.join('\n')}\n` },
        command: ['pdns_server', `--config-dir=${folder}`],
      }
    },
    isReady: port =>
      fetch(`http://127.0.0.1:${port}/api/v1/servers/localhost`, {
        headers: { 'x-api-key': key },
      }).then(
        ({ status }) => status === 200,
        () => false,
      ),
  })
  t.teardown(() => peer.close())
  return { url: `http://127.0.0.1:${peer.port}`, key }
}
