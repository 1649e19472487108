import { realFiles } from '../durable/file-system.ts'
import { lockDirectory } from '../durable/lock.ts'
import { tablePlace } from '../publish/table-file.ts'
import { repairUsage, type UsageRepair } from '../rating/usage-repair.ts'
import { describeRepair, repairStore, requireStore } from '../store/repair.ts'

// The composition root of `store repair`: repairs everything that a start reads, under one lock.

/** Gives up the damaged parts of a data directory, and returns a description of them.
 *  @throws DamageError there is no store, or one of another version
 *  @throws StoreLockedError a process has it open */
export async function repairData(directory: string): Promise<string> {
  const place = { files: realFiles, directory }
  await requireStore(place)
  const unlock = await lockDirectory(directory)
  try {
    // Its zones are as they were before the repair, and the next start would answer from them.
    const beforeRepair = () => realFiles.remove(tablePlace(place).directory)
    const store = describeRepair(await repairStore({ ...place, beforeRepair }))
    const usage = describeUsage(await repairUsage(place))
    return [store, ...usage].join('\n')
  } finally {
    await unlock()
  }
}

function describeUsage({ defects, setAside }: UsageRepair): readonly string[] {
  if (defects.length === 0) return ['Nothing is wrong with what is stored of usage.']
  return [
    'Found in what is stored of usage:',
    ...defects.map(({ file, problem }) => `  ${file}: ${problem}`),
    'Set aside, for you to look at and delete:',
    ...setAside.map(path => `  ${path}`),
    'Usage that is lost with them is missing in sums. What was rated can be rated again from its hours: PUT /v2/scope.',
  ]
}
