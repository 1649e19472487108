import t from 'tap'
import { ConnectionTable } from '../src/connection-table.ts'

type Connection = {
  readonly idleSinceMs: number | undefined
  destroy(): void
  isDestroyed: boolean
}

function connection(idleSinceMs: number | undefined): Connection {
  return {
    idleSinceMs,
    isDestroyed: false,
    destroy() {
      this.isDestroyed = true
    },
  }
}

t.test('the connection idle longest makes room when the table is full', async t => {
  const table = new ConnectionTable<Connection>({ maxConnections: 3, maxConnectionsPerClient: 3 })
  const [busy, older, newer] = [connection(undefined), connection(5), connection(9)]
  table.add(busy, '192.0.2.1')
  table.add(newer, '192.0.2.2')
  table.add(older, '192.0.2.3')
  t.ok(table.makeRoom('192.0.2.4'))
  t.strictSame(
    [busy, older, newer].map(one => one.isDestroyed),
    [false, true, false],
  )
  t.equal(table.size, 2)
})

t.test('a newcomer is refused when none is idle', async t => {
  const table = new ConnectionTable<Connection>({ maxConnections: 1, maxConnectionsPerClient: 9 })
  table.add(connection(undefined), '192.0.2.1')
  t.notOk(table.makeRoom('192.0.2.2'))
  t.equal(table.size, 1)
})

t.test('a client at its own limit loses its own connection, never another client its', async t => {
  const table = new ConnectionTable<Connection>({ maxConnections: 9, maxConnectionsPerClient: 1 })
  const [other, own] = [connection(1), connection(2)]
  table.add(other, '192.0.2.1')
  table.add(own, '192.0.2.2')
  t.ok(table.makeRoom('192.0.2.2'))
  t.ok(own.isDestroyed)
  t.notOk(other.isDestroyed)
})

t.test('a connection that closed leaves its place, also when told twice', async t => {
  const table = new ConnectionTable<Connection>({ maxConnections: 9, maxConnectionsPerClient: 1 })
  const gone = connection(undefined)
  table.add(gone, '192.0.2.1')
  table.delete(gone)
  table.delete(gone)
  t.equal(table.size, 0)
  t.ok(table.makeRoom('192.0.2.1'))
})
