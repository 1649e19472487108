/** All that a thread needs to read the zone table, for `postMessage` or `workerData`: its memory is shared, not
 *  copied. One handle is one reader, so it goes to exactly one thread at a time; the main thread opens it
 *  (`Readers.open`) and closes it when the thread has ended, however it ended. */
export type ZoneTableHandle = {
  /** The zones. */
  readonly memory: SharedArrayBuffer
  /** What this reader has counted. Survives the thread: the next one in this slot counts on. */
  readonly counters: SharedArrayBuffer
  /** Which of the table's readers this is. */
  readonly reader: number
  /** Which target's zones are answered from. */
  readonly target: number
}
