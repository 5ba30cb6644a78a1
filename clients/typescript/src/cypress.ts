/** Commands for Cypress. Import this in the support file to add them. They run as tasks, in Cypress's own process. */
import type { MatchOptions } from './wait.js';
import type { Inbox } from './wire.js';

export interface CypressWaitOptions extends Omit<MatchOptions, 'signal'> {
  /** How long to wait, 20 seconds by default. */
  timeoutMs?: number;
}

declare global {
  namespace Cypress {
    // biome-ignore lint/suspicious/noExplicitAny: the parameter must be Cypress's.
    interface Chainable<Subject = any> {
      /** Creates an inbox, and yields it: `address` is what to sign up with. */
      createInbox(): Chainable<Inbox>;
      /** Waits for a message with a one-time code, claims it, and yields the code. `inbox` may be an address. */
      waitForCode(inbox: string | { address: string }, options?: CypressWaitOptions): Chainable<string>;
      /** Waits for a message with a link to sign in or confirm, claims it, and yields the link. */
      waitForLink(inbox: string | { address: string }, options?: CypressWaitOptions): Chainable<string>;
    }
  }
}

/** The parts of Cypress that these commands use. */
interface CypressGlobals {
  Cypress: { Commands: { add(name: string, command: (...given: never[]) => unknown): void } };
  cy: { task(name: string, argument?: unknown, options?: { timeout: number }): unknown };
}

const TIMEOUT_MS_STANDARD = 20_000;
/** Cypress gives up later than the wait, whose error says what arrived instead. */
const GRACE_MS = 5_000;

const globals = globalThis as unknown as CypressGlobals;

function addWait(name: string): void {
  globals.Cypress.Commands.add(
    name,
    (inbox: string | { address: string }, options: CypressWaitOptions = {}) => {
      const timeoutMs = options.timeoutMs ?? TIMEOUT_MS_STANDARD;
      const address = typeof inbox === 'string' ? inbox : inbox.address;
      const given = { address, options: { ...options, timeoutMs } };
      return globals.cy.task(`postern:${name}`, given, { timeout: timeoutMs + GRACE_MS });
    },
  );
}

globals.Cypress.Commands.add('createInbox', () => globals.cy.task('postern:createInbox'));
addWait('waitForCode');
addWait('waitForLink');
