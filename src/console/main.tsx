import { render } from 'preact'
import { App } from './app.tsx'
import { comeFromProvider } from './openid.ts'
import { texts } from './texts.ts'

const root = document.getElementById('app')
if (await comeFromProvider()) document.title = texts.signIn.done
else if (root !== null) render(<App />, root)
