import type { Test } from 'tap'
import type { RatingServices } from '../../../src/api/rating/services.ts'
import type { TestApi } from '../../helpers/api.ts'
import type { RatingClient } from '../cloudkitty-client.ts'

/** The means of a story. */
export type Stage = {
  readonly client: RatingClient
  /** The client's server, whose memory the test can read. */
  readonly api: TestApi
  readonly services: RatingServices
}

/** Commands that belong together, each with what it must print. */
export type Story = (t: Test, stage: Stage) => Promise<void>

export type Stories = Readonly<Record<string, Story>>
