import { AsyncLocalStorage } from 'node:async_hooks';

/*
 * Who causes what happens now, for the audit log. It travels with the asynchronous work of a request or a command, so
 * that no operation in between has to pass it on, and none can forget to.
 */

export type ActorKind = 'user' | 'key' | 'operator' | 'capture' | 'visitor' | 'system';

export interface Actor {
  /**
   * `visitor`: a browser that is not signed in. `operator`: the command line. `system`: Postern itself, such as at the
   * start.
   */
  kind: ActorKind;
  /** Public id of the user or the key. */
  id: string | null;
  /** Where the request came from; null for a command. */
  address: string | null;
  /** The User-Agent, as sent. */
  agent: string | null;
}

export const SYSTEM: Actor = { kind: 'system', id: null, address: null, agent: null };
export const OPERATOR: Actor = { kind: 'operator', id: null, address: null, agent: null };

const actors = new AsyncLocalStorage<Actor>();

/** Runs what this actor causes. */
export function actAs<Result>(actor: Actor, run: () => Result): Result {
  return actors.run(actor, run);
}

export function currentActor(): Actor {
  return actors.getStore() ?? SYSTEM;
}
