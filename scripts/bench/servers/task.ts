import { setTimeout as delay } from 'node:timers/promises'
import type { HttpClient } from '../load/http-client.ts'

type Task = { readonly id: string; readonly status: string; readonly message: string }

/** Begins an import, which has a body, or an export, and resolves when it is done.
 *  @throws Error it has failed */
export async function runTask(http: HttpClient, path: string, body?: string): Promise<Task> {
  let task = JSON.parse(await http.call('POST', path, body)) as Task
  const place = body === undefined ? '/v2/zones/tasks/exports' : '/v2/zones/tasks/imports'
  while (task.status === 'PENDING') {
    await delay(100)
    task = JSON.parse(await http.call('GET', `${place}/${task.id}`)) as Task
  }
  if (task.status !== 'COMPLETE') throw new Error(`${path}: ${task.message}`)
  return task
}
