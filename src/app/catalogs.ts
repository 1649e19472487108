import type { Logger } from '../log.ts'
import { CatalogConsumer, type CatalogEvent } from '../service/catalogs/catalog-consumer.ts'
import { CatalogProducer } from '../service/catalogs/catalog-producer.ts'
import type { Secondaries } from '../service/secondaries/secondaries.ts'
import type { Zones } from '../service/zones/zones.ts'
import type { Commit, Store } from '../store/store.ts'

/** The catalog zones: produced ones, which list zones of this server, and consumed ones, whose lists create zones here. */
export class Catalogs {
  readonly #logger: Logger
  #followers: readonly (CatalogProducer | CatalogConsumer)[] = []
  #consumer: CatalogConsumer | undefined

  constructor({ logger }: { readonly logger: Logger }) {
    this.#logger = logger
  }

  /** Follows all catalogs until the signal. */
  follow(
    {
      store,
      zones,
      secondaries,
    }: {
      readonly store: Store
      readonly zones: Zones
      readonly secondaries: Secondaries
    },
    lost: AbortSignal,
  ): void {
    const producer = new CatalogProducer({
      store,
      onBroken: ({ name: zone }, err) =>
        this.#logger.error({ zone, err }, 'a catalog is not in step'),
    })
    const consumer = new CatalogConsumer({
      store,
      zones,
      onTransferWanted: zone => void secondaries.refreshNow(zone.id),
      onEvent: event => logCatalogEvent(this.#logger, event),
    })
    lost.addEventListener('abort', () => {
      void this.close()
      this.#followers = []
      this.#consumer = undefined
    })
    this.#followers = [producer, consumer]
    this.#consumer = consumer
    for (const follower of this.#followers) follower.start()
  }

  commitPublished(commit: Commit): void {
    for (const follower of this.#followers) follower.commitPublished(commit)
  }

  /** Retries what failed. */
  recheck(): void {
    this.#consumer?.recheck()
  }

  /** Resolves once no more writes happen. Idempotent. */
  async close(): Promise<void> {
    await Promise.all(this.#followers.map(follower => follower.close()))
  }
}

function logCatalogEvent(logger: Logger, event: CatalogEvent): void {
  const { catalog } = event
  if (event.kind === 'applied') logger.info(event, 'catalog applied')
  else if (event.kind === 'refused') logger.warn(event, 'not done as the catalog says')
  else logger.error({ catalog, err: event.error }, 'a catalog could not be applied')
}
