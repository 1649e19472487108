import { parentPort, type TransferListItem } from 'node:worker_threads'

/** What a thread is asked. */
export type WorkerRequest = { readonly task: string; readonly input: unknown }

/** What it answers: what the task has returned, or why it has not. */
export type WorkerReply = { readonly value: unknown } | { readonly error: unknown }

/** A task, and what memory of its result it gives away. */
export type ServedTask = {
  readonly run: (input: never) => unknown
  readonly memoryOf: (value: never) => readonly TransferListItem[]
}

/** Does the tasks that a `WorkerPool` asks this thread for. What one throws is passed on. */
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
