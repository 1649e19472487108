import { useEffect, useState } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso'
import icon from './icon.svg'
import { Search } from './pages/search.tsx'
import { SignIn } from './pages/sign-in.tsx'
import { ZonesPage } from './pages/zones.tsx'
import {
  endedSession,
  isAdmin,
  type Project,
  projectsOf,
  session,
  signOut,
  switchProject,
} from './session.ts'
import { texts } from './texts.ts'
import { Dialog } from './ui/dialog.tsx'
import { Choice } from './ui/field.tsx'
import { Icon, type IconName } from './ui/icon.tsx'
import { LanguageChoice } from './ui/language-choice.tsx'
import { Notices, notifyFailure } from './ui/notices.tsx'

/** The pages that are loaded when they are first shown, by their paths. */
const pages = {
  'zones/:id/:part?': lazy(async () => (await import('./pages/zone.tsx')).ZonePage),
  import: lazy(async () => (await import('./pages/import.tsx')).ImportPage),
  usage: lazy(async () => (await import('./pages/usage.tsx')).UsagePage),
  credentials: lazy(async () => (await import('./pages/credentials.tsx')).CredentialsPage),
  account: lazy(async () => (await import('./pages/account.tsx')).AccountPage),
  accounts: lazy(async () => (await import('./pages/accounts.tsx')).AccountsPage),
  history: lazy(async () => (await import('./pages/history.tsx')).HistoryPage),
  live: lazy(async () => (await import('./pages/live.tsx')).LivePage),
  'server/:part?': lazy(async () => (await import('./pages/server.tsx')).ServerPage),
  webhooks: lazy(async () => (await import('./pages/webhooks.tsx')).WebhooksPage),
  'invoices/:month?': lazy(async () => (await import('./pages/invoice.tsx')).InvoicePage),
  'deleted-zones': lazy(async () => (await import('./pages/deleted-zones.tsx')).DeletedZonesPage),
}

/** The whole console: the sign-in, or the frame with a page in it. */
export function App() {
  if (session.value === undefined) {
    return (
      <main class="sign-in">
        <h1>
          <img src={icon} alt="" width="44" height="44" />
          {texts.signIn.title}
        </h1>
        <SignIn />
        <LanguageChoice />
      </main>
    )
  }
  return (
    <LocationProvider scope="/console">
      <Frame key={session.value.project.id} />
      {endedSession.value !== undefined && (
        <Dialog title={texts.signIn.title}>
          <p>{texts.signIn.ended}</p>
          <SignIn user={endedSession.value.user.name} />
        </Dialog>
      )}
      <Notices />
    </LocationProvider>
  )
}

function Frame() {
  return (
    <>
      <a class="skip" href="#content">
        {texts.nav.skip}
      </a>
      <header>
        <a class="brand" href="/console/">
          <img src={icon} alt="" width="20" height="20" />
          <span>Zonewright</span>
        </a>
        <Search />
        <Navigation />
        <Account />
      </header>
      <main id="content" tabIndex={-1}>
        <ErrorBoundary>
          <Router>
            {Object.entries(pages).map(([path, page]) => (
              <Route key={path} path={`/console/${path}`} component={page} />
            ))}
            <Route default component={ZonesPage} />
          </Router>
        </ErrorBoundary>
      </main>
    </>
  )
}

type Link = { readonly href: string; readonly text: string; readonly icon: IconName }

const links: readonly Link[] = [
  { href: '/console', text: texts.nav.zones, icon: 'zones' },
  { href: '/console/usage', text: texts.nav.usage, icon: 'usage' },
  { href: '/console/history', text: texts.nav.history, icon: 'history' },
  { href: '/console/webhooks', text: texts.nav.webhooks, icon: 'webhooks' },
  { href: '/console/credentials', text: texts.nav.credentials, icon: 'credentials' },
]
const adminLinks: readonly Link[] = [
  { href: '/console/live', text: texts.nav.live, icon: 'live' },
  { href: '/console/accounts', text: texts.nav.accounts, icon: 'accounts' },
  { href: '/console/server', text: texts.nav.server, icon: 'server' },
]

function Navigation() {
  return (
    <nav aria-label="Zonewright">
      {links.map(link => (
        <NavLink key={link.href} {...link} />
      ))}
      {isAdmin.value && (
        <>
          <span class="nav-title">{texts.nav.administration}</span>
          {adminLinks.map(link => (
            <NavLink key={link.href} {...link} />
          ))}
        </>
      )}
    </nav>
  )
}

/** Pages that belong to pages of the navigation and are reached from them. */
const below: Readonly<Record<string, readonly string[]>> = {
  '/console': ['/console/zones/', '/console/import', '/console/deleted-zones'],
  '/console/usage': ['/console/invoices'],
  '/console/server': ['/console/server/'],
}

function NavLink({ href, text, icon: name }: Link) {
  const { path } = useLocation()
  const isHere = path === href || (below[href] ?? []).some(part => path.startsWith(part))
  return (
    <a href={href} aria-current={isHere ? 'page' : undefined}>
      <Icon name={name} />
      {text}
    </a>
  )
}

/** The next user to sign in starts at the first page. */
function leave(): void {
  history.replaceState(null, '', '/console/')
  void signOut()
}

function Account() {
  const [projects, setProjects] = useState<readonly Project[]>([])
  const current = session.value
  const token = current?.token
  useEffect(() => {
    if (token !== undefined) projectsOf(token).then(setProjects, () => undefined)
  }, [token])
  if (current === undefined) return null
  const known = projects.length > 0 ? projects : [current.project]
  const change = (id: string) => {
    const project = known.find(one => one.id === id)
    if (project === undefined) return
    // The lists of the other project start at their top.
    history.replaceState(null, '')
    switchProject(project).catch(notifyFailure)
  }
  return (
    <div class="account">
      <Choice
        label={texts.nav.project}
        hidesLabel
        value={current.project.id}
        onChange={change}
        options={known.map(({ id, name }) => [id, name])}
      />
      <span class="account-links">
        <a class="button quiet" href="/console/account" title={texts.account.title}>
          <Icon name="person" />
          <span class="label">{current.user.name}</span>
        </a>
        <button type="button" class="quiet" onClick={leave}>
          {texts.signIn.signOut}
        </button>
      </span>
    </div>
  )
}
