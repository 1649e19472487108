import type { Test } from 'tap'
import type { RatingServices } from '../../../src/api/rating/services.ts'
import type { TestApi } from '../../helpers/api.ts'
import type { RatingClient } from '../cloudkitty-client.ts'

/** What a story is played with. */
export type Stage = {
  readonly client: RatingClient
  /** The server the client talks to, whose memory can be looked into. */
  readonly api: TestApi
  readonly services: RatingServices
}

/** Commands that belong together, each with what it must print. */
export type Story = (t: Test, stage: Stage) => Promise<void>

export type Stories = Readonly<Record<string, Story>>
