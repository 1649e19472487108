import type { Test } from 'tap'
import type { Appliance } from '../../helpers/appliance.ts'
import type { Openstack } from '../openstack.ts'
import type { OpenstackSession } from '../openstack-session.ts'

/** Who is there in the stories. */
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

/** What somebody does with some commands, and what they print. It leaves nothing that another would notice. */
export type Story = (t: Test, cast: Cast) => Promise<void>

export type Stories = Readonly<Record<string, Story>>
