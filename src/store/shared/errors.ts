import { OperatorError } from '../../operator-error.ts'

/** No server that takes writes can be reached. */
export class EngineUnavailableError extends OperatorError {}

/** The server that takes writes may lose commits it has acknowledged, or is too old. Its configuration has to change. */
export class EngineUnfitError extends OperatorError {}

/** The tables belong to another version of the program. */
export class OtherSchemaError extends OperatorError {}

/** Another process runs as the same node. */
export class NodeNameError extends OperatorError {
  constructor(node: string) {
    super(
      `another server runs as the node ${node}: give this one a name of its own (ZONEWRIGHT_NODE), or stop the other one`,
    )
  }
}
