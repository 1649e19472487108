/** All that a thread needs to read the zone table, for `postMessage` or `workerData`: its memory is shared, not
 *  copied. One handle is one seat, so it goes to exactly one thread at a time; the main thread opens it
 *  (`ZoneTable.openSeat`) and closes it when the thread has ended, however it ended. */
export type ZoneTableHandle = {
  /** The zones. */
  readonly memory: SharedArrayBuffer
  /** What this seat has counted. Survives the thread: who takes the seat next counts on. */
  readonly counters: SharedArrayBuffer
  /** Which of the table's reader seats this is. */
  readonly seat: number
  /** Which target's zones are answered from. */
  readonly target: number
}
