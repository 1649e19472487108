import { type Packed, signPacked } from '../dnssec/sign-batch.ts'
import { compareRuns, type RunDifference } from './compare-runs.ts'
import { readTransfer, type TransferReading } from './read-transfer.ts'
import { readZoneFile, type ZoneFileReading } from './read-zone-file.ts'
import { type ServedTask, serveTasks } from './serve-tasks.ts'

// The code of a thread of `Bulk`.

const tasks = {
  signPacked: {
    run: signPacked,
    memoryOf: ({ octets }: Packed) => [octets.buffer as ArrayBuffer],
  },
  readZoneFile: {
    run: readZoneFile,
    memoryOf: (reading: ZoneFileReading) =>
      reading.kind === 'read'
        ? reading.packed.flatMap(({ run, lines }) => [run.buffer, lines.buffer])
        : [],
  },
  readTransfer: {
    run: readTransfer,
    memoryOf: (reading: TransferReading) =>
      reading.kind === 'read' ? reading.copy.runs.map(({ buffer }) => buffer) : [],
  },
  compareRuns: {
    run: compareRuns,
    memoryOf: ({ next, addedRuns }: RunDifference) =>
      [...next, ...addedRuns].map(({ buffer }) => buffer),
  },
} as const satisfies Readonly<Record<string, ServedTask>>

/** The tasks that a thread can run, by name. */
export type BulkTasks = typeof tasks

serveTasks(tasks)
