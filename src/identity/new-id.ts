import { randomUUID } from 'node:crypto'

/** Ids of the identity service are UUIDs without dashes, as Keystone's are. */
export function newId(): string {
  return randomUUID().replaceAll('-', '')
}
