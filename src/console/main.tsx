import { render } from 'preact'
import { App } from './app.tsx'
import { comeFromProvider } from './openid.ts'
import { language, texts } from './texts.ts'

document.documentElement.lang = language
const root = document.getElementById('app')
if (await comeFromProvider()) document.title = texts.signIn.done
else if (root !== null) render(<App />, root)
