/** The place of an event among all: its commit by LSN, its change within the commit by position. As text it is the
 *  event's id, `<lsn>-<position>`, or `<lsn>` for the end of a commit, after all of its events. */
export type EventCursor = { readonly lsn: number; readonly position: number }

const cursorPattern = /^(\d{1,15})(?:-(\d{1,9}))?$/

/** The place after all events of a commit, and before those of the next. */
export function endOfCommit(lsn: number): EventCursor {
  return { lsn, position: Number.POSITIVE_INFINITY }
}

/** Whether all events of the cursor's commit are at or before it. */
export function isEndOfCommit({ position }: EventCursor): boolean {
  return position === Number.POSITIVE_INFINITY
}

/** Parses an id; undefined where it is invalid. */
export function parseCursor(id: string): EventCursor | undefined {
  const [, lsn, position] = cursorPattern.exec(id) ?? []
  if (lsn === undefined) return undefined
  return position === undefined
    ? endOfCommit(Number(lsn))
    : { lsn: Number(lsn), position: Number(position) }
}

export function cursorText(cursor: EventCursor): string {
  return isEndOfCommit(cursor) ? `${cursor.lsn}` : `${cursor.lsn}-${cursor.position}`
}

/** Below zero where the left cursor comes first. */
export function compareEventCursors(left: EventCursor, right: EventCursor): number {
  if (left.lsn !== right.lsn) return left.lsn - right.lsn
  // The difference of two infinities is not a number.
  return left.position === right.position ? 0 : left.position - right.position
}
