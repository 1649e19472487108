/** An operator has to fix something before a node can start. */
export class SetupError extends Error {
  override readonly name: string = 'SetupError'
}

/** No server that takes writes can be reached. */
export class EngineUnavailableError extends SetupError {
  override readonly name = 'EngineUnavailableError'
}

/** The server that takes writes may lose commits it has acknowledged, or is too old. Its configuration has to change. */
export class EngineUnfitError extends SetupError {
  override readonly name = 'EngineUnfitError'
}

/** The tables belong to another version of the program. */
export class OtherSchemaError extends SetupError {
  override readonly name = 'OtherSchemaError'
}

/** Another process runs as the same node. */
export class NodeNameError extends SetupError {
  override readonly name = 'NodeNameError'

  constructor(node: string) {
    super(
      `another server runs as the node ${node}: give this one a name of its own (ZONEWRIGHT_NODE), or stop the other one`,
    )
  }
}
