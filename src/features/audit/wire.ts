/** An entry of the audit log on the wire. */
import { z } from 'zod';
import { auditActions, auditActors } from '../../rules/audit.ts';

export const AuditEntry = z
  .object({
    id: z.string(),
    at: z.iso.datetime(),
    action: z.enum(auditActions),
    account_id: z.string().nullable().describe('Null for an event that belongs to no account.'),
    actor: z
      .object({
        kind: z
          .enum(auditActors)
          .describe('`operator` is the command line; `visitor` is a client that is not signed in.'),
        id: z.string().nullable().describe('The id of the user or the key.'),
        name: z.string().nullable().describe("The user's email, or the start of the key, at that time."),
      })
      .meta({ id: 'AuditActor' }),
    ip: z.string().nullable().describe('The IP address of the client; null for a command.'),
    user_agent: z.string().nullable(),
    target: z
      .string()
      .nullable()
      .describe('What the action was applied to: an email, the start of a key, an address, a domain.'),
    details: z
      .record(z.string(), z.string())
      .describe('What changed, as `before → after`, and other short facts.'),
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntryView = z.output<typeof AuditEntry>;
