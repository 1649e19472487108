import { spawnSync } from 'node:child_process'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { consoleBuild, isConsoleBuilt } from '../../../scripts/run/console.mjs'
import type { Appliance } from '../../helpers/appliance.ts'
import { queryAddresses } from '../../helpers/query.ts'
import { until } from '../../helpers/until.ts'
import { adminPassword, startWholeServer } from '../whole-server.ts'

/** A browser at a server of its own, until the test ends. */
export type Visit = {
  readonly server: Appliance
  readonly page: Page
  /** The page's complaints: errors, and requests that its policy has blocked. */
  readonly complaints: readonly string[]
}

export type VisitOptions = {
  readonly width?: number
  readonly theme?: 'light' | 'dark'
  /** Of the browser; American English where left out. */
  readonly locale?: string
  /** Of the server. */
  readonly settings?: Readonly<Record<string, string>>
}

/** The time limit for one step of a page, on a busy machine. */
const patienceMs = 120_000

/** A name of this machine that, other than its addresses, the browser does not trust over plain HTTP. */
export const untrustedName = 'console.test'

// The sandbox needs rights that a test has not; nothing but this server is visited.
const switches = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  `--host-resolver-rules=MAP ${untrustedName} 127.0.0.1`,
]

/** Builds the console where that is missing or old: before the server starts, which looks for it then. */
export function buildConsole(): void {
  if (!isConsoleBuilt()) spawnSync(process.execPath, consoleBuild, { stdio: 'inherit' })
}

/** Starts server and browser, and opens the console as a user who types the server's address does. */
export async function visit(t: Test, options: VisitOptions = {}): Promise<Visit> {
  buildConsole()
  const { server } = await startWholeServer(t, options.settings)
  return { server, ...(await openConsole(t, server, options)) }
}

/** Opens the console of a server that runs. */
export async function openConsole(
  t: Test,
  server: Pick<Appliance, 'apiUrl'>,
  options: VisitOptions = {},
): Promise<Omit<Visit, 'server'>> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: switches,
    timeout: patienceMs,
  })
  t.teardown(() => browser.close())
  return openPage(browser, server.apiUrl, options)
}

/** Signs a user in, by default the administrator. */
export async function signIn(
  page: Page,
  { user = 'admin', password = adminPassword } = {},
): Promise<void> {
  // The page just left may have such fields, too.
  const form = page.locator('form', { has: page.getByRole('button', { name: 'Sign in' }) })
  await form.getByLabel('User', { exact: true }).fill(user)
  await form.getByLabel('Password', { exact: true }).fill(password)
  await form.getByRole('button', { name: 'Sign in' }).click()
}

export const customerPassword = 'correct horse battery'

/** A project with a user of the same name, who is a member of it. */
export async function customer(server: Appliance, name: string): Promise<string> {
  const { project } = await server.json<{ project: { id: string } }>(
    'POST',
    '/identity/v3/projects',
    { project: { name } },
  )
  const { user } = await server.json<{ user: { id: string } }>('POST', '/identity/v3/users', {
    user: { name, password: customerPassword },
  })
  const { roles } = await server.json<{ roles: { id: string; name: string }[] }>(
    'GET',
    '/identity/v3/roles?name=member',
  )
  const role = roles.find(one => one.name === 'member')?.id
  const path = `/identity/v3/projects/${project.id}/users/${user.id}/roles/${role}`
  await server.request('PUT', path)
  return project.id
}

/** The id of the project that the server has from the start. */
export async function adminProject(server: Appliance): Promise<string> {
  const { projects } = await server.json<{ projects: { id: string }[] }>(
    'GET',
    '/identity/v3/projects?name=admin',
  )
  return projects[0]?.id ?? ''
}

/** Opens the zone of a name from the list of zones. */
export async function openZone(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { name, exact: true }).waitFor()
}

/** Goes to a page by the navigation. */
export async function go(page: Page, name: string): Promise<void> {
  const navigation = page.getByRole('navigation', { name: 'Zonewright' })
  await navigation.getByRole('link', { name, exact: true }).click()
}

/** Goes to a part of the page that is open. */
export async function part(page: Page, name: string): Promise<void> {
  const parts = page.getByRole('navigation', { name: /^Parts of / })
  await parts.getByRole('link', { name, exact: true }).click()
}

/** Adds a record of one value by the form, without applying it. */
export async function addRecord(page: Page, name: string, address: string): Promise<void> {
  await page.getByRole('button', { name: 'Add record' }).click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('IPv4 address').fill(address)
  await page.getByRole('button', { name: 'Done' }).click()
}

/** Uses what is in the menu of the page that is open. */
export async function more(page: Page, name: string): Promise<void> {
  await page.locator('summary', { hasText: 'More' }).click()
  await page.locator('.menu-items').getByText(name, { exact: true }).click()
}

/** Reviews what is pending and applies it. */
export async function apply(page: Page): Promise<readonly string[]> {
  await page.getByRole('button', { name: 'Review' }).click()
  const lines = page.locator('.difference span')
  await lines.first().waitFor()
  const difference = await lines.allInnerTexts()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('Applied.').first().waitFor()
  return difference.map(line => line.trim())
}

/** Waits until a field has a value that is as wanted. */
export function awaitedValue(
  field: Locator,
  isWanted: (value: string) => boolean,
): Promise<string> {
  return until(() => field.inputValue(), isWanted)
}

/** Queries names repeatedly until something is seen: the console shows rates of the last seconds. */
export async function askUntil(
  server: Appliance,
  names: readonly string[],
  seen: Promise<unknown>,
): Promise<void> {
  let isOver = false
  void Promise.allSettled([seen]).then(() => {
    isOver = true
  })
  while (!isOver) await Promise.all(names.map(name => queryAddresses(server.endpoint(), name)))
  await seen
}

async function openPage(
  browser: Browser,
  url: string,
  { width = 1280, theme = 'light', locale = 'en-US' }: VisitOptions,
) {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: theme,
    locale,
  })
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(error.message))
  page.on('console', message => {
    const text = message.text()
    // What the server refuses is no fault of the page.
    if (message.type() === 'error' && !text.startsWith('Failed to load resource'))
      complaints.push(text)
  })
  await page.goto(`${url}/`)
  return { page, complaints }
}
