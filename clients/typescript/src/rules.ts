import { type CallOptions, type Connection, encodeName } from './connection.js';
import { Listing } from './listing.js';
import type * as wire from './wire.js';

/** Rules for mail as it arrives (docs/rules.md). */
export class Rules {
  constructor(private readonly connection: Connection) {}

  create(rule: wire.NewRule, options: CallOptions = {}): Promise<wire.Rule> {
    const call = { method: 'POST', path: '/rules', body: rule, key: crypto.randomUUID() } as const;
    return this.connection.data({ ...call, ...options });
  }

  /** Lists all rules in order. */
  list(options: CallOptions = {}): Promise<wire.Rule[]> {
    return this.connection.data({ method: 'GET', path: '/rules', ...options });
  }

  get(id: string, options: CallOptions = {}): Promise<wire.Rule> {
    return this.connection.data({ method: 'GET', path: makePath(id), ...options });
  }

  /** Changes the given fields; null removes a condition. */
  update(id: string, changes: wire.RuleChanges, options: CallOptions = {}): Promise<wire.Rule> {
    return this.connection.data({ method: 'PATCH', path: makePath(id), body: changes, ...options });
  }

  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.connection.nothing({ method: 'DELETE', path: makePath(id), ...options });
  }

  /**
   * Lists what a rule would do to stored mail, newest first: a stored rule (`{ rule_id }`), one given by its fields, or
   * all enabled rules. Nothing is changed or sent.
   */
  dryRun(
    rule: Omit<wire.RuleDryRunRequest, 'cursor'> = {},
    { signal }: CallOptions = {},
  ): Listing<wire.RuleDryRunMatch> {
    const ask = (cursor: string | null) => ({
      method: 'POST' as const,
      path: '/rules/dry_run',
      body: cursor === null ? rule : { ...rule, cursor },
      ...(signal === undefined ? {} : { signal }),
    });
    return new Listing(this.connection, ask, (match: wire.RuleDryRunMatch) => match);
  }
}

function makePath(id: string): string {
  return `/rules/${encodeName('id', id)}`;
}
