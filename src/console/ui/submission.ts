import { useState } from 'preact/hooks'
import { RefusalError } from '../api/client.ts'

/** A form that is being sent, or was refused. */
export type Submission = {
  readonly onSubmit: (event: Event) => void
  readonly isBusy: boolean
  /** The server's message about a field of the body, by its path or a prefix of it. */
  readonly refusalOf: (...path: readonly (string | number)[]) => string | undefined
  /** The other messages of the server. */
  readonly rest: string | undefined
}

/** Sends a form, and assigns the errors of the server to the fields they are about.
 *  @param fields the fields of the body that have a field in the form */
export function useSubmission(fields: readonly string[], send: () => Promise<unknown>): Submission {
  const [failure, setFailure] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const onSubmit = (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setFailure(undefined)
    send()
      .catch(setFailure)
      .finally(() => setBusy(false))
  }
  const said = failure instanceof RefusalError ? failure.fields : []
  const others = said.filter(({ path }) => !fields.includes(String(path[0])))
  const rest =
    failure === undefined || (said.length > 0 && others.length === 0)
      ? undefined
      : others.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') ||
        failure.message
  const refusalOf = (...path: readonly (string | number)[]) =>
    said
      .filter(one => path.every((part, at) => one.path[at] === part))
      .map(({ message }) => message)
      .join('; ') || undefined
  return { onSubmit, isBusy, refusalOf, rest }
}

/** A form of texts, each under the name that its field has in the body. */
export type TextForm<T> = Submission & {
  readonly typed: T
  readonly type: (part: Partial<T>) => void
  /** The properties of the field of a text. */
  readonly field: (name: keyof T & string) => {
    readonly value: string
    readonly onInput: (text: string) => void
    readonly error: string | undefined
  }
}

/** What is typed into a form, and sending it. */
export function useForm<T extends Readonly<Record<string, string>>>(
  initial: T,
  send: (typed: T) => Promise<unknown>,
): TextForm<T> {
  const [typed, setTyped] = useState(initial)
  const submission = useSubmission(Object.keys(initial), () => send(typed))
  const type = (part: Partial<T>) => setTyped(before => ({ ...before, ...part }))
  const field = (name: keyof T & string) => ({
    value: typed[name] ?? '',
    onInput: (text: string) => type({ [name]: text } as Partial<T>),
    error: submission.refusalOf(name),
  })
  return { ...submission, typed, type, field }
}
