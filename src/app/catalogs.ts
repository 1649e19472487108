import type { Logger } from '../log.ts'
import { CatalogConsumer, type CatalogEvent } from '../service/catalogs/catalog-consumer.ts'
import { CatalogProducer } from '../service/catalogs/catalog-producer.ts'
import type { Secondaries } from '../service/secondaries/secondaries.ts'
import type { Zones } from '../service/zones/zones.ts'
import type { Commit, Store } from '../store/store.ts'

/** The catalog zones: those that list zones of ours, and those whose lists make zones here. */
export class Catalogs {
  readonly #producer: CatalogProducer
  readonly #logger: Logger
  #consumer: CatalogConsumer | undefined

  constructor({ store, logger }: { readonly store: Store; readonly logger: Logger }) {
    this.#logger = logger
    this.#producer = new CatalogProducer({
      store,
      onBroken: ({ name: zone }, err) => logger.error({ zone, err }, 'a catalog is not in step'),
    })
  }

  /** Begins to follow all catalogs. To be called once. */
  start(parts: {
    readonly store: Store
    readonly zones: Zones
    readonly secondaries: Secondaries
  }): void {
    const { store, zones, secondaries } = parts
    this.#producer.start()
    this.#consumer = new CatalogConsumer({
      store,
      zones,
      onTransferWanted: zone => void secondaries.refreshNow(zone.id),
      onEvent: event => logCatalogEvent(this.#logger, event),
    })
    this.#consumer.start()
  }

  commitPublished(commit: Commit): void {
    this.#producer.commitPublished(commit)
    this.#consumer?.commitPublished(commit)
  }

  /** Tries again what could not be done. */
  recheck(): void {
    this.#consumer?.recheck()
  }

  /** Resolves when nothing is written any more. Idempotent. */
  async close(): Promise<void> {
    await Promise.all([this.#producer.close(), this.#consumer?.close()])
  }
}

function logCatalogEvent(logger: Logger, event: CatalogEvent): void {
  const { catalog } = event
  if (event.kind === 'applied') logger.info(event, 'catalog applied')
  else if (event.kind === 'refused') logger.warn(event, 'not done as the catalog says')
  else logger.error({ catalog, err: event.error }, 'a catalog could not be applied')
}
