import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import { createTask, type ScheduledTask } from 'node-cron'
import { actingAs } from '../actor.ts'
import { type Duty, soleDuty } from '../cluster/duty.ts'
import { cronPattern } from './cron-pattern.ts'

/** Work that is repeated. Each run determines what is due, so that the next run makes up for a missed
 *  one. */
export type Job = {
  readonly name: string
  /** Must divide a minute, an hour or a day. */
  readonly everySeconds: number
  /** Whether only the node with the duty runs it. */
  readonly isDuty?: true
  run(): void | Promise<void>
}

/** An event for those who monitor the jobs. A job that keeps failing for the same reason is reported once, and
 *  once more when it has recovered. */
export type JobEvent =
  | { readonly kind: 'failed'; readonly job: string; readonly error: unknown }
  | { readonly kind: 'recovered'; readonly job: string }

type SchedulerOptions = {
  readonly jobs: readonly Job[]
  readonly duty?: Duty
  readonly onEvent: (event: JobEvent) => void
}

/** Runs jobs on a schedule, each at most once at a time. */
export class Scheduler {
  readonly #jobs = new Map<string, Job>()
  readonly #onEvent: (event: JobEvent) => void
  readonly #duty: Duty
  readonly #tasks: ScheduledTask[] = []
  readonly #runs = new Map<string, Promise<void>>()
  /** The runs that begin when those under way have ended. */
  readonly #nextRuns = new Map<string, Promise<void>>()
  readonly #faults = new Map<string, string>()
  /** Resolves in the turn of the event loop in which the run begins that was asked for last. */
  #lastBegin: Promise<void> = Promise.resolve()
  #isStopped = false

  /** Nothing runs before `start`.
   *  @throws RangeError an interval that cron cannot express, or two jobs with one name. */
  constructor({ jobs, onEvent, duty = soleDuty }: SchedulerOptions) {
    this.#onEvent = onEvent
    this.#duty = duty
    for (const job of jobs) {
      // The second would not run while the first does, nor ever by its name.
      if (this.#jobs.has(job.name)) throw new RangeError(`two jobs are called ${job.name}`)
      this.#jobs.set(job.name, job)
    }
    // One task for each interval and not for each job, since node-cron takes a fifth of a millisecond for each.
    for (const [everySeconds, due] of Map.groupBy(jobs, job => job.everySeconds)) {
      const runAll = () => {
        for (const job of due) void this.#join(job)
      }
      const task = createTask(cronPattern(everySeconds), runAll, {
        // Local time jumps twice a year, and sub-hourly schedules with it.
        timezone: 'UTC',
        // The next run makes up for a missed one, and node-cron would print to the console.
        suppressMissedWarning: true,
        logger: silentLogger,
      })
      this.#tasks.push(task)
    }
  }

  /** Jobs whose last run failed, and why. */
  get faults(): ReadonlyMap<string, string> {
    return this.#faults
  }

  /** Starts the clock; the first runs are at the next round time. */
  start(): void {
    for (const task of this.#tasks) void task.start()
  }

  /** Runs a job now, or once more when the run under way has ended, since that one may have checked what is due
   *  before the caller made something due; never rejects. After `stop`, and for a job of another node, it does nothing.
   *  @throws RangeError no such job. */
  run(name: string): Promise<void> {
    const job = this.#jobs.get(name)
    if (job === undefined) throw new RangeError(`no job is called '${name}'`)
    const running = this.#runs.get(name)
    if (running === undefined || this.#isStopped) return this.#join(job)
    const next = this.#nextRuns.get(name) ?? this.#runAfter(running, job)
    this.#nextRuns.set(name, next)
    return next
  }

  async #runAfter(running: Promise<void>, job: Job): Promise<void> {
    await running
    this.#nextRuns.delete(job.name)
    await this.#join(job)
  }

  /** Runs a job now unless it is running. */
  #join(job: Job): Promise<void> {
    if (this.#isStopped || (job.isDuty && !this.#duty.isHeld)) return Promise.resolve()
    const running = this.#runs.get(job.name) ?? this.#runOnce(job)
    this.#runs.set(job.name, running)
    return running
  }

  /** Starts no more runs and waits for those under way, at most `timeoutMs`. Returns the names of the
   *  jobs that are still running then. */
  async stop({ timeoutMs }: { readonly timeoutMs: number }): Promise<readonly string[]> {
    this.#isStopped = true
    for (const task of this.#tasks) void task.destroy()
    const timeUp = new AbortController()
    await Promise.race([
      Promise.all(this.#runs.values()),
      delay(timeoutMs, undefined, { signal: timeUp.signal }).catch(() => undefined),
    ])
    timeUp.abort()
    return [...this.#runs.keys()]
  }

  async #runOnce(job: Job): Promise<void> {
    try {
      // Many jobs are due at the same second; in one turn all of them would stall the event loop.
      this.#lastBegin = this.#lastBegin.then(() => setImmediate())
      await this.#lastBegin
      await actingAs({ road: 'system', job: job.name }, () => job.run())
      if (this.#faults.delete(job.name)) this.#onEvent({ kind: 'recovered', job: job.name })
    } catch (error) {
      const fault = String(error)
      if (this.#faults.get(job.name) !== fault) {
        this.#faults.set(job.name, fault)
        this.#onEvent({ kind: 'failed', job: job.name, error })
      }
    } finally {
      this.#runs.delete(job.name)
    }
  }
}

const silent = (): void => undefined
const silentLogger = { info: silent, warn: silent, error: silent, debug: silent }
