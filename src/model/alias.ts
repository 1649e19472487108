import type { Recordset } from './recordset.ts'

/** Types of the addresses that an ALIAS is answered as. */
export const addressTypes = ['A', 'AAAA'] as const

/** Whether the server keeps a recordset of a PRIMARY zone because an ALIAS of its name leads to these addresses. */
export function isAliasAddress({
  type,
  isManaged,
}: Pick<Recordset, 'type' | 'isManaged'>): boolean {
  return isManaged && (type === 'A' || type === 'AAAA')
}
