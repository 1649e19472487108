import { useEffect, useState } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso'
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
import { Notices, notifyFailure } from './ui/notices.tsx'

const ZonePage = lazy(() => import('./pages/zone.tsx').then(({ ZonePage }) => ZonePage))
const ImportPage = lazy(() => import('./pages/import.tsx').then(({ ImportPage }) => ImportPage))
const UsagePage = lazy(() => import('./pages/usage.tsx').then(({ UsagePage }) => UsagePage))
const CredentialsPage = lazy(() =>
  import('./pages/credentials.tsx').then(({ CredentialsPage }) => CredentialsPage),
)
const AccountsPage = lazy(() =>
  import('./pages/accounts.tsx').then(({ AccountsPage }) => AccountsPage),
)
const LivePage = lazy(() => import('./pages/live.tsx').then(({ LivePage }) => LivePage))

/** The whole console: the sign-in, or the frame with a page in it. */
export function App() {
  if (session.value === undefined) {
    return (
      <main class="sign-in">
        <h1>{texts.signIn.title}</h1>
        <SignIn />
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
          Zonewright
        </a>
        <Navigation />
        <Search />
        <Account />
      </header>
      <main id="content" tabIndex={-1}>
        <ErrorBoundary>
          <Router>
            <Route path="/console/" component={ZonesPage} />
            <Route path="/console/zones/:id" component={ZonePage} />
            <Route path="/console/import" component={ImportPage} />
            <Route path="/console/usage" component={UsagePage} />
            <Route path="/console/credentials" component={CredentialsPage} />
            <Route path="/console/accounts" component={AccountsPage} />
            <Route path="/console/live" component={LivePage} />
            <Route default component={ZonesPage} />
          </Router>
        </ErrorBoundary>
      </main>
    </>
  )
}

const adminLinks = [
  { href: '/console/accounts', text: texts.nav.accounts },
  { href: '/console/live', text: texts.nav.live },
]

function Navigation() {
  const { path } = useLocation()
  const links = [
    { href: '/console/', text: texts.nav.zones },
    { href: '/console/usage', text: texts.nav.usage },
    { href: '/console/credentials', text: texts.nav.credentials },
    ...(isAdmin.value ? adminLinks : []),
  ]
  return (
    <nav aria-label="Zonewright">
      {links.map(({ href, text }) => (
        <a key={href} href={href} aria-current={path === href ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  )
}

/** The next to sign in begins at the first page. */
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
    if (project !== undefined) switchProject(project).catch(notifyFailure)
  }
  return (
    <div class="account">
      <Choice label={texts.nav.project} hidesLabel value={current.project.id} onChange={change}>
        {known.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <button type="button" class="quiet" onClick={leave}>
        {texts.signIn.signOut} ({current.user.name})
      </button>
    </div>
  )
}
