/** Threads on the wire. */
import { z } from 'zod';
import { MessageSummary } from '../messages/wire.ts';
import { OutboundEmailShape } from '../outbound/wire.ts';

const ReceivedMember = MessageSummary.extend({
  direction: z.literal('in').describe('A message that was received.'),
}).meta({ id: 'ThreadMessageIn' });

const SentMember = OutboundEmailShape.extend({
  direction: z.literal('out').describe('An email that was sent.'),
}).meta({ id: 'ThreadMessageOut' });

const ThreadMessage = z.discriminatedUnion('direction', [ReceivedMember, SentMember]).meta({
  id: 'ThreadMessage',
});

export type ThreadMessageView = z.output<typeof ThreadMessage>;

const threadFields = {
  id: z.string(),
  subject: z.string().describe('The subject of its first message.'),
  message_count: z.int().describe('Messages received and sent.'),
};

export const ThreadSummary = z
  .object({
    ...threadFields,
    latest_at: z.iso.datetime().describe('When its latest message was received or sent.'),
    latest: ThreadMessage,
  })
  .meta({ id: 'ThreadSummary' });

export type ThreadSummaryView = z.output<typeof ThreadSummary>;

export const Thread = z
  .object({ ...threadFields, messages: z.array(ThreadMessage).describe('Oldest first.') })
  .meta({ id: 'Thread' });

export type ThreadView = z.output<typeof Thread>;
