import { assert, type IAsyncProperty, type IProperty, type Parameters } from 'fast-check'
import type { Test } from 'tap'

/** Checks a property and reports a named assertion: a test without one counts as skipped. */
export function held<T>(t: Test, property: IProperty<T>, parameters?: Parameters<T>): void {
  assert(property, parameters)
  t.pass('held for every case')
}

/** As `held`, for an asynchronous property. */
export async function heldAsync<T>(
  t: Test,
  property: IAsyncProperty<T>,
  parameters?: Parameters<T>,
): Promise<void> {
  await assert(property, parameters)
  t.pass('held for every case')
}
