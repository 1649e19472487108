import { en } from './texts/en/index.ts'
import type { Texts } from './texts/shape.ts'

/** The available languages, each by its own name. */
export const languages = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof languages

/** Where the browser keeps what the reader has chosen. */
export const languageKey = 'zonewright.language'

/** What the reader has chosen, or what the browser prefers. */
export const language: Language =
  languageOf([chosen(), ...navigator.languages]) ?? languageOf(['en']) ?? 'en'

/** The locale of numbers and times: that of the reader's country, where the browser gives it. */
export const locale = navigator.languages.find(one => languageOf([one]) === language) ?? language

/** All texts of the console. A language other than English is loaded before anything is shown. */
export const texts: Texts = language === 'de' ? (await import('./texts/de/index.ts')).de : en

/** The first wanted language that is available.
 *  @param wanted such as `de-AT`, in order of preference */
export function languageOf(wanted: readonly (string | null)[]): Language | undefined {
  const known = wanted.map(one => one?.toLowerCase().split('-')[0])
  return known.find((one): one is Language => one !== undefined && one in languages)
}

function chosen(): string | null {
  return globalThis.localStorage?.getItem(languageKey) ?? null
}
