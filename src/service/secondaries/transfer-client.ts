import type { SerialRequest, TransferRequest, TransferResult } from '../../zone/transfer-in.ts'
import type { SerialVerdict } from '../../zone/transfer-response.ts'

/** Asks one master. Nothing of it rejects for what a master does or fails to do; `signal` ends it early. */
export type TransferClient = {
  /** Asks for the serial of a zone. */
  askSerial(request: SerialRequest, signal: AbortSignal): Promise<SerialVerdict>
  /** Asks for a zone, where it is newer than the copy at hand. */
  transfer(request: TransferRequest, signal: AbortSignal): Promise<TransferResult>
}
