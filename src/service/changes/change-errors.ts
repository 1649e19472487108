import { ApiError, type FieldError } from '../../errors.ts'
import type { ChangeList } from '../../model/change-set.ts'

/** The errors in the lines of a change set. */
export class ChangeErrors {
  readonly #types = new Set<ApiError['type']>()
  readonly #fieldErrors: FieldError[] = []

  /** Runs the work for one line, and records why it is refused; undefined where it is refused. */
  at<T>(list: ChangeList, index: number, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      this.#types.add(error.type)
      const own = error.fieldErrors.map(each => ({ ...each, path: [list, index, ...each.path] }))
      const whole = { path: [list, index], message: error.message, validator: error.type }
      this.#fieldErrors.push(...(own.length > 0 ? own : [whole]))
      return undefined
    }
  }

  /** @throws ApiError of the type that all errors have in common, else invalid_object, with every wrong line */
  throwIfAny(): void {
    const [type = 'invalid_object', ...others] = this.#types
    if (this.#fieldErrors.length === 0) return
    const shown = others.length === 0 ? type : 'invalid_object'
    throw new ApiError(shown, 'Nothing is changed: some lines are refused', {
      fieldErrors: this.#fieldErrors,
    })
  }
}
