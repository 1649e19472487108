import { types } from '../../dns/codes.ts'
import { encodeQuery } from '../../dns/message.ts'
import { isNewerSerial } from '../../dns/serial.ts'
import { TimeSlice } from '../../time-slice.ts'
import {
  copyDefects,
  TransferIn,
  type TransferLimits,
  type TransferRequest,
  type TransferResult,
  type ZoneCopy,
} from '../../zone/transfer-in.ts'
import {
  judgeSoaResponse,
  type TransferFailure,
  type TransferQuestion,
} from '../../zone/transfer-response.ts'
import {
  MasterConnection,
  MasterConnectionError,
  type MasterTimeouts,
} from './master-connection.ts'

// Asks a master for its serial, and for the zone where that is newer, on one connection (RFC 5936 section
// 4.1). A zone of a million records is received beside all other work: after a few milliseconds of it, the
// event loop has its turn.

export type AxfrClientOptions = {
  /** Returns 0 to 65,535, unpredictable (RFC 5452 section 9.2). */
  readonly randomId: () => number
  readonly limits?: TransferLimits
  readonly timeouts?: Partial<MasterTimeouts>
}

/** What fits the memory of a small machine several times over. */
const defaultLimits: TransferLimits = { maxRecords: 2_000_000, maxOctets: 512 * 1024 * 1024 }

const defaultTimeouts: MasterTimeouts = { connectMs: 5_000, messageMs: 20_000, totalMs: 600_000 }

/** Fetches zones from their masters. Stateless between calls. */
export class AxfrClient {
  readonly #randomId: () => number
  readonly #limits: TransferLimits
  readonly #timeouts: MasterTimeouts

  constructor({ randomId, limits = defaultLimits, timeouts = {} }: AxfrClientOptions) {
    this.#randomId = randomId
    this.#limits = limits
    this.#timeouts = { ...defaultTimeouts, ...timeouts }
  }

  /** Never rejects for what a master does or fails to do. */
  async transfer(request: TransferRequest, signal: AbortSignal): Promise<TransferResult> {
    let connection: MasterConnection | undefined
    try {
      const { master } = request
      connection = await MasterConnection.open({ master, timeouts: this.#timeouts, signal })
      return await this.#transferOver(connection, request)
    } catch (error) {
      if (!(error instanceof MasterConnectionError)) throw error
      return { kind: 'failed', failure: error.failure }
    } finally {
      connection?.close()
    }
  }

  async #transferOver(
    connection: MasterConnection,
    request: TransferRequest,
  ): Promise<TransferResult> {
    const asked = this.#ask(connection, request, types.SOA)
    const verdict = judgeSoaResponse(await connection.receive(), asked)
    if (verdict.kind === 'failed') return verdict
    const known = compareSerial(verdict.serial, request.knownSerial)
    if (known !== undefined) return known
    const received = await this.#receiveCopy(connection, request)
    if (received.kind !== 'transferred') return received
    const { copy } = received
    // The zone may have gone back to an older serial between the two answers.
    return compareSerial(copy.soa.serial, request.knownSerial) ?? (await judged(request, copy))
  }

  async #receiveCopy(
    connection: MasterConnection,
    request: TransferRequest,
  ): Promise<TransferResult> {
    const { id, zone } = this.#ask(connection, request, types.AXFR)
    const hashSeed = this.#randomId()
    const transfer = new TransferIn({ zone, id, limits: this.#limits, hashSeed })
    const slice = new TimeSlice()
    for (;;) {
      const progress = transfer.receive(await connection.receive())
      if (progress.kind === 'failed') return progress
      if (progress.kind === 'complete') return { kind: 'transferred', copy: progress.copy }
      if (slice.isSpent) await slice.rest()
    }
  }

  #ask(connection: MasterConnection, { zone }: TransferRequest, type: number): TransferQuestion {
    const id = this.#randomId()
    connection.send(encodeQuery({ id, name: zone, type }))
    return { id, zone, type }
  }
}

/** Returns undefined where the master's serial is newer than ours, or we have none. */
function compareSerial(serial: number, known: number | undefined): TransferResult | undefined {
  if (known === undefined || isNewerSerial(serial, known)) return undefined
  if (serial === known) return { kind: 'current', serial }
  const reason = `the master has serial ${serial}, which is older than ${known}`
  return { kind: 'failed', failure: { kind: 'behind', reason } }
}

async function judged({ zone }: TransferRequest, copy: ZoneCopy): Promise<TransferResult> {
  const slice = new TimeSlice()
  for (const defect of copyDefects(zone, copy)) {
    if (defect !== undefined) return failed(defect)
    if (slice.isSpent) await slice.rest()
  }
  return { kind: 'transferred', copy }
}

function failed(failure: TransferFailure): TransferResult {
  return { kind: 'failed', failure }
}
