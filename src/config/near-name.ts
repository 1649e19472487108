/** Finds the name that was probably meant: the nearest one, if at most a third of it differs. */
export function findNearName(wrong: string, names: readonly string[]): string | undefined {
  const candidates = names
    .map(name => ({ name, edits: countEdits(wrong, name) }))
    .filter(({ name, edits }) => edits * 3 <= name.length)
    .sort((a, b) => a.edits - b.edits)
  return candidates[0]?.name
}

/** Levenshtein's distance. O(a · b), so for short texts only. */
function countEdits(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [row, character] of [...a].entries()) {
    const current = [row + 1]
    for (let column = 0; column < b.length; column += 1) {
      const replaced = (previous[column] ?? 0) + (character === b[column] ? 0 : 1)
      const removed = (previous[column + 1] ?? 0) + 1
      const added = (current[column] ?? 0) + 1
      current.push(Math.min(replaced, removed, added))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
