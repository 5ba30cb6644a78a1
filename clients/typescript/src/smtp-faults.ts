import { type CallOptions, type Connection, encodeName } from './connection.js';
import type * as wire from './wire.js';

/** Makes a trap's SMTP refuse, wait or hang up, to test your mailer's retries (docs/testing.md). */
export class SmtpFaults {
  constructor(private readonly connection: Connection) {}

  add(fault: wire.NewSmtpFault, options: CallOptions = {}): Promise<wire.SmtpFault> {
    return this.connection.data({ method: 'POST', path: '/smtp_faults', body: fault, ...options });
  }

  /** Lists all faults, oldest first, and how often each has answered (`hits`). */
  list(options: CallOptions = {}): Promise<wire.SmtpFault[]> {
    return this.connection.data({ method: 'GET', path: '/smtp_faults', ...options });
  }

  delete(id: string, options: CallOptions = {}): Promise<void> {
    const path = `/smtp_faults/${encodeName('id', id)}`;
    return this.connection.nothing({ method: 'DELETE', path, ...options });
  }

  /** Deletes all faults. */
  clear(options: CallOptions = {}): Promise<void> {
    return this.connection.nothing({ method: 'DELETE', path: '/smtp_faults', ...options });
  }
}
