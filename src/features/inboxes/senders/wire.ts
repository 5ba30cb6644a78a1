import { z } from 'zod';
import { SENDER_ENTRIES_MAX, senderModes } from '../../../rules/senders.ts';

const entries = z.array(z.string());

/** Who may write to an inbox. */
export const SenderListsShape = z
  .object({
    mode: z
      .enum(senderModes)
      .describe('everyone: all but those in `block`. allowed_only: only those in `allow`.'),
    allow: entries.describe('Alphabetical. Counts only for mail whose From is authenticated and aligned.'),
    block: entries.describe('Alphabetical. Counts for what From claims.'),
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
      `Both lists have at most ${SENDER_ENTRIES_MAX} entries together: an address, a domain (\`example.com\`, not those ` +
      'below it) or `*.example.com` (all below it, not itself). The entry that fits a sender best decides.',
  });
