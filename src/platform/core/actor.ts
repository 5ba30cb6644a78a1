import { AsyncLocalStorage } from 'node:async_hooks';

/*
 * The actor that causes the current work, for the audit log. It follows the asynchronous work of a request or a
 * command, so no operation in between has to pass it on, and none can forget to.
 */

export type ActorKind = 'user' | 'key' | 'operator' | 'capture' | 'visitor' | 'system';

export interface Actor {
  /** A `visitor` is a browser that is not signed in, the `operator` the command line, and `system` Postern itself. */
  kind: ActorKind;
  /** Public id of the user or the key; null for all other kinds. */
  id: string | null;
  /** Where the request came from; null for a command. */
  address: string | null;
  /** The User-Agent, as sent. */
  agent: string | null;
}

export const SYSTEM: Actor = { kind: 'system', id: null, address: null, agent: null };
export const OPERATOR: Actor = { kind: 'operator', id: null, address: null, agent: null };

const actors = new AsyncLocalStorage<Actor>();

/** Runs a function, and all asynchronous work that it starts, as this actor. */
export function actAs<Result>(actor: Actor, run: () => Result): Result {
  return actors.run(actor, run);
}

/** Returns the actor of the current work; SYSTEM if no other is set. */
export function currentActor(): Actor {
  return actors.getStore() ?? SYSTEM;
}
