import type { SerialRequest, TransferRequest, TransferResult } from '../../zone/transfer-in.ts'
import type { SerialVerdict } from '../../zone/transfer-response.ts'

/** Asks one master. No call rejects for what a master does or fails to do; `signal` ends a call early. */
export type TransferClient = {
  /** Asks for the serial of a zone. */
  askSerial(request: SerialRequest, signal: AbortSignal): Promise<SerialVerdict>
  /** Requests a zone if it is newer than the stored copy. */
  transfer(request: TransferRequest, signal: AbortSignal): Promise<TransferResult>
}
