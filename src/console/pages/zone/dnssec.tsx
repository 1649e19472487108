import { useEffect, useState } from 'preact/hooks'
import { type Dnssec, getDnssec, signZone, unsignZone } from '../../api/dnssec.ts'
import { listRows } from '../../api/server.ts'
import type { Zone } from '../../api/zones.ts'
import { mayChange } from '../../session.ts'
import { texts } from '../../texts.ts'
import { Card } from '../../ui/card.tsx'
import { Confirmation } from '../../ui/confirmation.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Choice, Complaint } from '../../ui/field.tsx'
import { useLoaded } from '../../ui/loaded.ts'
import { useSubmission } from '../../ui/submission.ts'
import { formatTime } from '../../ui/times.ts'
import { Keys } from './dnssec-keys.tsx'
import { ParentCard } from './dnssec-parent.tsx'

const lookAgainMs = 2_000

type DnssecProps = {
  readonly zone: Zone
  readonly state: Dnssec
  readonly onChanged: (state: Dnssec) => void
}

type ZoneDnssecProps = {
  readonly zone: Zone
  /** Called when the zone has another serial than it is shown with. */
  readonly onChanged: () => void
}

/** How a zone is signed, and what is to be done next. */
export function ZoneDnssec({ zone, onChanged }: ZoneDnssecProps) {
  const loaded = useLoaded(() => getDnssec(zone), [zone.id])
  const { value: state, error, reload: look, replace } = loaded
  const isMoving = state?.status === 'SIGNING'
  useEffect(() => {
    if (!isMoving) return
    const timer = setInterval(look, lookAgainMs)
    return () => clearInterval(timer)
  }, [isMoving, look])
  useEffect(() => {
    if (state !== undefined && state.serial !== zone.serial) onChanged()
  }, [state])
  if (state === undefined) return <Complaint text={error} />
  const props = { zone, state, onChanged: replace }
  const isSigned = state.status === 'SIGNED' || state.status === 'UNSIGNING'
  return (
    <div class="scrolls fill">
      <div class="cards">
        <Complaint text={error} />
        {state.status === 'UNSIGNED' ? <Unsigned {...props} /> : <Status state={state} />}
        {isSigned && <NextStep state={state} />}
        {isSigned && state.parent !== null && <ParentCard {...props} parent={state.parent} />}
        {state.keys.length > 0 && <Keys {...props} />}
        {isSigned && mayChange.value && <Off zone={zone} onChanged={look} />}
      </div>
    </div>
  )
}

function Unsigned({ zone, onChanged }: Omit<DnssecProps, 'state'>) {
  const [policy, setPolicy] = useState('default')
  const policies = useLoaded(readPolicies)
  const { onSubmit, isBusy, rest } = useSubmission([], async () => {
    onChanged(await signZone(zone, policy))
  })
  return (
    <Card title={texts.dnssec.off} explain={texts.dnssec.offExplain}>
      <Complaint text={rest} />
      {mayChange.value && (
        <form class="bar" onSubmit={onSubmit}>
          <Choice
            label={texts.dnssec.policy}
            value={policy}
            onChange={setPolicy}
            options={Object.entries(policies.value ?? texts.dnssec.policies)}
          />
          <button type="submit" class="main" disabled={isBusy}>
            {texts.dnssec.sign}
          </button>
        </form>
      )}
    </Card>
  )
}

function Status({ state: { status, denial, problems, waits_for: waits } }: StateProps) {
  return (
    <Card title={texts.dnssec.title}>
      <p role="status" class={`status ${status === 'SIGNED' ? 'good' : 'pending'}`}>
        {texts.dnssec.statuses[status]}
      </p>
      {status === 'SIGNING' && <p>{waits}</p>}
      {status === 'PRESIGNED' && <p>{texts.dnssec.presigned}</p>}
      {denial !== null && <p class="faint">{texts.dnssec.denial(denial)}</p>}
      {problems.map(problem => (
        <p key={problem} class="status error">
          {problem}
        </p>
      ))}
    </Card>
  )
}

type StateProps = { readonly state: Dnssec }

/** What the user has to do, or what the zone waits for; with the DS to copy. */
function NextStep({ state }: StateProps) {
  const { ds, cds_published: isCds, tasks } = state
  return (
    <Card title={texts.dnssec.next}>
      <p>{stepOf(state)}</p>
      {ds.map(one => (
        <Copy key={one} label={texts.dnssec.ds} text={one} />
      ))}
      {isCds && <p class="faint">{texts.dnssec.cds}</p>}
      {tasks.length > 0 && (
        <>
          <h3>{texts.dnssec.tasks}</h3>
          <ul class="tasks">
            {tasks.map(({ key_id: id, tag, step, waits_for: waits, until }) => (
              <li key={`${id} ${step}`}>
                {texts.dnssec.task(tag)}: {step}.{' '}
                <span class="faint">
                  {texts.dnssec.wait}: {waits}
                  {until !== null && `, ${texts.dnssec.until(formatTime(until))}`}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}

function stepOf({ status, keys, ds_from: from, tasks }: Dnssec): string {
  if (status === 'UNSIGNING') return texts.dnssec.removeDs
  const coming = keys.filter(({ goal, states }) => goal === 'OMNIPRESENT' && states.ds !== null)
  if (coming.every(({ states }) => states.ds === 'OMNIPRESENT')) return texts.dnssec.done
  if (coming.every(({ states }) => states.ds !== 'HIDDEN')) return texts.dnssec.giveDs
  const until =
    from ??
    tasks
      .flatMap(task => task.until ?? [])
      .sort()
      .at(-1)
  return until === undefined
    ? texts.dnssec.waitForCaches
    : texts.dnssec.waitUntil(formatTime(until))
}

/** The built-in policies and those of the administrators; names by ids. */
async function readPolicies(): Promise<Readonly<Record<string, string>>> {
  const { items } = await listRows('dnssec_policies')
  const made = Object.fromEntries(items.map(({ id, name }) => [id, String(name)]))
  return { ...texts.dnssec.policies, ...made }
}

type OffProps = { readonly zone: Zone; readonly onChanged: () => void }

function Off({ zone, onChanged }: OffProps) {
  const [isForcing, setForcing] = useState(false)
  const { onSubmit, isBusy, rest } = useSubmission([], async () => {
    await unsignZone(zone, false)
    onChanged()
  })
  return (
    <Card title={texts.dnssec.stop} explain={texts.dnssec.stopExplain}>
      <Complaint text={rest} />
      <div class="bar">
        <button type="button" disabled={isBusy} onClick={onSubmit}>
          {texts.dnssec.stop}
        </button>
        <button type="button" class="danger" onClick={() => setForcing(true)}>
          {texts.dnssec.stopNow}
        </button>
      </div>
      {isForcing && (
        <Confirmation
          title={texts.dnssec.stopTitle}
          text={texts.dnssec.stopExplain}
          action={texts.dnssec.stopNow}
          onClose={() => setForcing(false)}
          run={() => unsignZone(zone, true).then(onChanged)}
        />
      )}
    </Card>
  )
}
