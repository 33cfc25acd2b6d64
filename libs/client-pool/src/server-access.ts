import type { Circuit } from './calls/circuit.js';
import type { ConnectFailure } from './connection/connect-failure.js';
import type { Connector } from './connection/connector.js';
import type { UpstreamConnection } from './connection/upstream-connection.js';

/** Whether a server can be used now, and its connection: what the connector and the circuit say together. */
export class ServerAccess {
  readonly connector: Connector;
  readonly circuit: Circuit;

  constructor(connector: Connector, circuit: Circuit) {
    this.connector = connector;
    this.circuit = circuit;
  }

  /** Why calls would fail now: the last attempt to connect has failed, or the circuit is open. */
  get problem(): ConnectFailure | undefined {
    return this.connector.failure ?? this.circuit.failure;
  }

  /** How long no attempt is made to connect a failed server; 0 if the next use tries again. */
  get coolDownLeftMs(): number {
    return Math.max(this.connector.coolDownLeftMs, this.circuit.openLeftMs);
  }

  /** The connection; `isUrgent` also tries to make one if that has failed a moment ago. */
  connected(isUrgent = false): Promise<UpstreamConnection> {
    const isSettled = this.connector.living !== undefined || this.connector.isClosed;
    const problem = isSettled ? undefined : this.problem;
    if (problem && !isUrgent && this.coolDownLeftMs > 0) return Promise.reject(problem);
    return this.connector.connect();
  }
}
