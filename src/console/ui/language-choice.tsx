import { language, languageKey, languages, texts } from '../texts.ts'
import { Choice } from './field.tsx'

/** Each language by its own name. */
export function LanguageChoice() {
  return (
    <Choice
      label={texts.account.language}
      hidesLabel
      value={language}
      onChange={chooseLanguage}
      options={Object.entries(languages).map(([code, name]) => [code, name, code])}
      class="language"
    />
  )
}

/** Switches the console to another language, which is loaded with the page. */
function chooseLanguage(next: string): void {
  localStorage.setItem(languageKey, next)
  location.reload()
}
