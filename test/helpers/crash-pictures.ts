import { Dice } from './dice.ts'
import {
  allLost,
  cutsLost,
  type DiskOperation,
  namesLost,
  nothingLost,
  octetsLost,
  type PowerLoss,
  type SimulatedDisk,
  someLost,
} from './simulated-disk.ts'

/** The state that a crash at some moment would leave. */
export type CrashPicture = {
  readonly disk: SimulatedDisk
  /** Steps that were acknowledged by then, and so must not be lost. */
  readonly acknowledged: number
  readonly moment: string
}

export type PictureOptions = {
  /** How many steps have been acknowledged so far. */
  readonly acknowledged: () => number
  readonly isWatched?: () => boolean
  /** The number of changes of the disk per picture; at 1, each sync of a directory yields further ones. */
  readonly stride?: number
  readonly seed?: number
}

/** Takes pictures of a disk: before each change, what a crash would leave of it in one of many ways. Returns the pictures, and
 *  the function to call before each change. */
export function picturesOf(
  disk: SimulatedDisk,
  { acknowledged, isWatched = () => true, stride = 1, seed = 1 }: PictureOptions,
): {
  readonly pictures: readonly CrashPicture[]
  readonly before: (operation: DiskOperation) => void
} {
  const dice = new Dice(seed)
  const losses: readonly [string, () => PowerLoss][] = [
    ['all lost', () => allLost],
    ['half lost', () => someLost(dice, 2)],
    ['names lost', () => namesLost],
    ['little lost', () => someLost(dice, 8)],
    ['octets lost', () => octetsLost],
    ['little left', () => someLost(dice, 8, 'is lost')],
    ['cuts lost', () => cutsLost],
    ['killed', () => nothingLost],
  ]
  const pictures: CrashPicture[] = []
  let changeCount = 0
  const before = ({ kind, path }: DiskOperation): void => {
    changeCount += 1
    if (!isWatched() || changeCount % stride !== 0) return
    const [name, loss] = losses[changeCount % losses.length]!
    const add = (left: SimulatedDisk, how: string) => {
      const moment = `${how} before change ${changeCount}, ${kind} ${path}`
      pictures.push({ disk: left, acknowledged: acknowledged(), moment })
    }
    add(disk.after(loss()), name)
    if (kind !== 'syncDirectory' || stride > 1) return
    for (const left of disk.afterLosingOne(path)) add(left, 'one name lost')
  }
  return { pictures, before }
}

/** The faults that `look` finds in the pictures of a disk.
 *  @param run does the steps, and calls `acknowledge` behind each */
export async function crashAnywhere(
  disk: SimulatedDisk,
  run: (acknowledge: () => void) => Promise<void>,
  look: (picture: CrashPicture) => Promise<string | undefined>,
): Promise<{ readonly defects: readonly string[]; readonly pictureCount: number }> {
  let acknowledged = 0
  const { pictures, before } = picturesOf(disk, { acknowledged: () => acknowledged })
  disk.before = before
  await run(() => {
    acknowledged += 1
  })
  return { defects: await defectsOf(pictures, look), pictureCount: pictures.length }
}

/** The findings of `look` for each faulty picture. */
export async function defectsOf(
  pictures: readonly CrashPicture[],
  look: (picture: CrashPicture) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const defects: string[] = []
  for (const picture of pictures) {
    const defect = await look(picture).catch(String)
    if (defect !== undefined) defects.push(`${picture.moment}: ${defect}`)
  }
  return defects
}
