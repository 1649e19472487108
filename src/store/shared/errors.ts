// Errors that stop a node from starting.

/** No server that takes writes can be reached. */
export class EngineUnavailableError extends Error {
  override readonly name = 'EngineUnavailableError'
}

/** The server that takes writes may lose commits it has acknowledged, or is too old. Its configuration has to change. */
export class EngineUnfitError extends Error {
  override readonly name = 'EngineUnfitError'
}

/** The tables belong to another version of the program. */
export class OtherSchemaError extends Error {
  override readonly name = 'OtherSchemaError'
}

/** A directory is not what the settings require: a copy of that log. */
export class CopyError extends Error {
  override readonly name = 'CopyError'
}

/** Another process runs as the same node. */
export class NodeNameError extends Error {
  override readonly name = 'NodeNameError'

  constructor(node: string) {
    super(
      `another server runs as the node ${node}: give this one a name of its own (ZONEWRIGHT_NODE), or stop the other one`,
    )
  }
}

/** Whether an operator has to fix something before a node can start. */
export function isForPeople(error: unknown): error is Error {
  const kinds = [
    EngineUnavailableError,
    EngineUnfitError,
    OtherSchemaError,
    CopyError,
    NodeNameError,
  ]
  return kinds.some(kind => error instanceof kind)
}
