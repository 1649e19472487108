import { parentPort, type TransferListItem } from 'node:worker_threads'

/** A request to a thread. */
export type WorkerRequest = { readonly task: string; readonly input: unknown }

/** A thread's reply: the value that the task returned, or the error that it threw. */
export type WorkerReply = { readonly value: unknown } | { readonly error: unknown }

/** A task, and the memory of its result that it transfers. */
export type ServedTask = {
  readonly run: (input: never) => unknown
  readonly memoryOf: (value: never) => readonly TransferListItem[]
}

/** Runs the tasks that a `WorkerPool` sends to this thread. An error that a task throws is sent back. */
export function serveTasks(tasks: Readonly<Record<string, ServedTask>>): void {
  parentPort?.on('message', ({ task, input }: WorkerRequest) => {
    parentPort?.postMessage(...answerOf(tasks[task], input))
  })
}

function answerOf(
  task: ServedTask | undefined,
  input: unknown,
): [WorkerReply, readonly TransferListItem[]] {
  try {
    if (task === undefined) throw new Error('there is no such task')
    const value = task.run(input as never)
    return [{ value }, task.memoryOf(value as never)]
  } catch (error) {
    return [{ error }, []]
  }
}
