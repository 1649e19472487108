import type { en } from './en/index.ts'

/** A table of texts with the same keys as another and any texts. */
type Words<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: infer A) => string
      ? (...args: A) => string
      : Words<T[K]>
}

/** The table that every language fills. */
export type Texts = Words<typeof en>
