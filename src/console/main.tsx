import { render } from 'preact'
import { App } from './app.tsx'
import { comeFromProvider } from './openid.ts'
import { language, texts } from './texts.ts'
import { notify } from './ui/notices.tsx'

// The files of a page that was not opened yet are gone once the server is upgraded.
addEventListener('vite:preloadError', () =>
  notify(texts.common.notLoaded, {
    text: texts.common.reload,
    run: async () => location.reload(),
  }),
)

document.documentElement.lang = language
const root = document.getElementById('app')
if (await comeFromProvider()) document.title = texts.signIn.done
else if (root !== null) render(<App />, root)
