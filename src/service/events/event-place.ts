/** Where an event stands among all: commits by their LSN, changes within one by their position. As a text it is
 *  the event's id, `<lsn>-<position>`, or `<lsn>` for the end of a commit, behind all of its events. */
export type EventPlace = { readonly lsn: number; readonly position: number }

const placePattern = /^(\d{1,15})(?:-(\d{1,9}))?$/

/** The place behind all events of a commit, and before those of the next. */
export function endOfCommit(lsn: number): EventPlace {
  return { lsn, position: Number.POSITIVE_INFINITY }
}

/** Whether all events of the place's commit are at or before it. */
export function isEndOfCommit({ position }: EventPlace): boolean {
  return position === Number.POSITIVE_INFINITY
}

/** Reads an id; undefined where it is none. */
export function parsePlace(id: string): EventPlace | undefined {
  const [, lsn, position] = placePattern.exec(id) ?? []
  if (lsn === undefined) return undefined
  return position === undefined
    ? endOfCommit(Number(lsn))
    : { lsn: Number(lsn), position: Number(position) }
}

export function placeText(place: EventPlace): string {
  return isEndOfCommit(place) ? `${place.lsn}` : `${place.lsn}-${place.position}`
}

/** Below zero where the left one comes first. */
export function compareEventPlaces(left: EventPlace, right: EventPlace): number {
  if (left.lsn !== right.lsn) return left.lsn - right.lsn
  // Two infinities have no difference.
  return left.position === right.position ? 0 : left.position - right.position
}
