import { assert, type IAsyncProperty, type IProperty, type Parameters } from 'fast-check'
import type { Test } from 'tap'

/** Checks a property and says so: a test that asserts nothing by name counts as skipped. */
export function held<T>(t: Test, property: IProperty<T>, parameters?: Parameters<T>): void {
  assert(property, parameters)
  t.pass('held for every case')
}

/** The same for a property of what takes time. */
export async function heldAsync<T>(
  t: Test,
  property: IAsyncProperty<T>,
  parameters?: Parameters<T>,
): Promise<void> {
  await assert(property, parameters)
  t.pass('held for every case')
}
