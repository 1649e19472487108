/** What a command printed and how it ended. */
export type Outcome = {
  readonly hasFailed: boolean
  readonly stdout: string
  readonly stderr: string
}

/** Commands of `openstack`, however they reach it. A command is written as in a shell but split at blanks only;
 *  `more` words are taken as they are. */
export abstract class OpenstackCommands {
  /** The commands that succeeded, without the `more` words. */
  readonly succeeded: string[] = []

  abstract perform(words: readonly string[]): Promise<Outcome>

  async outcome(command: string, ...more: readonly string[]): Promise<Outcome> {
    const outcome = await this.perform([...command.split(' '), ...more])
    if (!outcome.hasFailed) this.succeeded.push(command)
    return outcome
  }

  /** What a command that must succeed prints.
   *  @throws Error it failed */
  async run(command: string, ...more: readonly string[]): Promise<string> {
    const { hasFailed, stdout, stderr } = await this.outcome(command, ...more)
    if (hasFailed) throw new Error(`openstack ${command}: ${stderr || stdout}`)
    return stdout
  }

  /** What a command that must succeed prints, as JSON.
   *  @throws Error it failed */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into output of any shape
  async json(command: string, ...more: readonly string[]): Promise<any> {
    return JSON.parse(await this.run(command, ...more, '-f', 'json'))
  }

  /** The complaint of a command that must fail.
   *  @throws Error it succeeded */
  async refusal(command: string, ...more: readonly string[]): Promise<string> {
    const { hasFailed, stdout, stderr } = await this.outcome(command, ...more)
    if (!hasFailed) throw new Error(`openstack ${command} was not refused: ${stdout}`)
    return stderr
  }
}
