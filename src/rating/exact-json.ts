/** A JSON number whose text says more than a float can hold. */
export class NumberText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Parses JSON without losing digits: a number comes as a float where the float prints as it was written, and
 *  as its text otherwise (`0.10000000000000000000001`, `1.0`, `1e400`). @throws SyntaxError it is not JSON */
export function parseJsonExactly(text: string): unknown {
  return JSON.parse(text, reviveExactly as Reviver)
}

type Reviver = Parameters<typeof JSON.parse>[1]

/** JSON.parse shows a primitive's source text to its reviver, which the library types do not know yet. */
function reviveExactly(
  _key: string,
  value: unknown,
  context: { readonly source?: string },
): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value
  return String(value) === context.source ? value : new NumberText(context.source)
}
