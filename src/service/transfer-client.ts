import type { TransferRequest, TransferResult } from '../zone/transfer-in.ts'

/** Asks one master for a zone. */
export type TransferClient = {
  /** Never rejects for what a master does or fails to do. `signal` ends it early. */
  transfer(request: TransferRequest, signal: AbortSignal): Promise<TransferResult>
}
