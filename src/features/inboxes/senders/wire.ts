import { z } from 'zod';
import { SENDER_ENTRIES_MAX, senderModes } from '../../../rules/senders.ts';

const entries = z.array(z.string());

/** Who may write to an inbox. */
export const SenderListsShape = z
  .object({
    mode: z
      .enum(senderModes)
      .describe('`everyone`: all senders except those in `block`. `allowed_only`: only those in `allow`.'),
    allow: entries.describe(
      'In alphabetical order. Applies only to mail whose From is authenticated and aligned.',
    ),
    block: entries.describe('In alphabetical order. Applies to the From that a mail claims.'),
  })
  .meta({ id: 'SenderLists' });

export type SenderListsView = z.output<typeof SenderListsShape>;

const written = z
  .array(z.string('must be text'))
  .max(SENDER_ENTRIES_MAX, `has more than ${SENDER_ENTRIES_MAX}`);

export const NewSenderLists = z
  .strictObject({
    mode: z.enum(senderModes, `must be one of ${senderModes.join(', ')}`).default('everyone'),
    allow: written.default([]),
    block: written.default([]),
  })
  .meta({
    id: 'NewSenderLists',
    description:
      `At most ${SENDER_ENTRIES_MAX} entries in both lists together. An entry is an address, a domain (\`example.com\`, ` +
      'without its subdomains) or `*.example.com` (its subdomains only). The most specific entry for a sender decides.',
  });
