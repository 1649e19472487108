import type { Test } from 'tap'
import type { Appliance } from '../../helpers/appliance.ts'
import type { Openstack } from '../openstack.ts'
import type { OpenstackSession } from '../openstack-session.ts'

/** The users in the stories. */
export type Cast = {
  readonly server: Appliance
  /** The administrator, logged in with a password. */
  readonly admin: OpenstackSession
  /** The administrator without Keystone, with a fixed token. */
  readonly token: OpenstackSession
  /** A member of the project beta, logged in with an application credential. */
  readonly member: OpenstackSession
  /** The administrator with a client of its own for each command, for options that a session does not forget. */
  readonly sudoer: Openstack
  readonly adminProjectId: string
  readonly betaId: string
  /** Where the client finds files. */
  readonly folder: string
}

/** A sequence of commands with their output. It leaves nothing behind that another story could notice. */
export type Story = (t: Test, cast: Cast) => Promise<void>

export type Stories = Readonly<Record<string, Story>>
