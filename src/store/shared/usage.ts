import type { Engine } from './engine.ts'
import { goneSeconds } from './nodes.ts'

/** What a node has counted in an hour, packed by the meter. */
export type CountedHour = {
  /** The node, or one of its directories: the column `node`. */
  readonly source: string
  readonly isWhole: boolean
  readonly digest: string
  readonly parts: readonly Buffer[]
}

type PartRow = {
  readonly source: string
  readonly digest: Buffer
  readonly is_whole: boolean
  readonly body: Buffer
}

/** The hours that nodes have handed over to each other: the table `zw_usage`. */
export class SharedUsage {
  readonly #engine: Pick<Engine, 'use'>

  constructor(engine: Pick<Engine, 'use'>) {
    this.#engine = engine
  }

  /** Replaces what a source has handed over of an hour by what it has counted. Does nothing if that is already there. */
  handOver(hour: number, { source, isWhole, digest, parts }: CountedHour): Promise<void> {
    const key = [hour, source]
    const octets = Buffer.from(digest, 'hex')
    return this.#engine.use(async connection => {
      const known = await connection.query<{ digest: Buffer }>(
        'select digest from zw_usage where hour = $1 and node = $2 and part = 0',
        key,
      )
      if (known.rows[0]?.digest.equals(octets)) return
      await connection.transaction(async () => {
        await connection.query('delete from zw_usage where hour = $1 and node = $2', key)
        // An hour without usage has a part, too: it shows that nothing more will come from the node.
        for (const [part, body] of (parts.length > 0 ? parts : [Buffer.alloc(0)]).entries())
          await connection.query(
            'insert into zw_usage (hour, node, part, digest, is_whole, body) values ($1, $2, $3, $4, $5, $6)',
            [...key, part, octets, isWhole, body],
          )
      })
    })
  }

  /** The hours of which something is not marked as merged, ascending. */
  async unmerged(): Promise<readonly number[]> {
    const { rows } = await this.#engine.use(connection =>
      connection.query<{ hour: string }>(
        'select distinct hour from zw_usage where part = 0 and not is_merged order by hour',
      ),
    )
    return rows.map(({ hour }) => Number(hour))
  }

  /** What is handed over of an hour. */
  async read(hour: number): Promise<readonly CountedHour[]> {
    const { rows } = await this.#engine.use(connection =>
      connection.query<PartRow>(
        'select node as source, digest, is_whole, body from zw_usage where hour = $1 order by node, part',
        [hour],
      ),
    )
    return [...Map.groupBy(rows, ({ source }) => source)].flatMap(([source, [first, ...rest]]) =>
      first === undefined
        ? []
        : {
            source,
            isWhole: first.is_whole,
            digest: first.digest.toString('hex'),
            parts: [first, ...rest].map(({ body }) => body).filter(({ length }) => length > 0),
          },
    )
  }

  /** Marks what is still as it was read. */
  async markMerged(
    hour: number,
    read: readonly Pick<CountedHour, 'source' | 'digest'>[],
  ): Promise<void> {
    await this.#engine.use(connection =>
      connection.transaction(async () => {
        for (const { source, digest } of read)
          await connection.query(
            'update zw_usage set is_merged = true where hour = $1 and node = $2 and digest = $3',
            [hour, source, Buffer.from(digest, 'hex')],
          )
      }),
    )
  }

  /** Removes the hours before one. */
  async dropBefore(hour: number): Promise<void> {
    await this.#engine.use(connection =>
      connection.query('delete from zw_usage where hour < $1', [hour]),
    )
  }

  /** Records up to which hour a node has handed over what it has counted. Does nothing if the node is not known yet. */
  async noteMetered(node: string, until: number): Promise<void> {
    await this.#engine.use(connection =>
      connection.query(
        'update zw_node set metered_until = $2 where node = $1 and metered_until is distinct from $2',
        [node, until],
      ),
    )
  }

  /** The nodes that were seen lately, and the hour before which each has handed over what it counted. */
  async meteringNodes(): Promise<
    readonly { readonly node: string; readonly meteredUntil: number | undefined }[]
  > {
    const { rows } = await this.#engine.use(connection =>
      connection.query<{ node: string; until: string | null }>(
        `select node, metered_until as until from zw_node
          where seen_at > clock_timestamp() - make_interval(secs => $1)`,
        [goneSeconds],
      ),
    )
    return rows.map(({ node, until }) => ({
      node,
      meteredUntil: until === null ? undefined : Number(until),
    }))
  }
}
