import { fail } from '../../../platform/core/failure.ts';
import { describeData } from '../../../platform/http/page.ts';
import { ok } from '../../../platform/http/reply.ts';
import { route } from '../../../platform/http/route.ts';
import { findOwnMessage } from '../../messages/sql.ts';
import { viewMessage } from '../../messages/view.ts';
import { Message, messageLinks } from '../../messages/wire.ts';
import { acceptWithheld } from './accept.ts';

export const acceptRoutes = [
  route({
    name: 'acceptMessage',
    method: 'POST',
    path: '/api/v1/messages/:id/accept',
    summary: 'Accept a withheld message',
    description:
      'Moves the message to the inbox as if it had just arrived: its `received_at` is now, and lists, waits, streams and ' +
      'webhooks get it. Any other message is returned unchanged.',
    tag: 'Messages',
    responses: { 200: describeData(Message) },
    links: messageLinks,
    async run({ services, caller: { account }, params }) {
      const id = params.id ?? '';
      await acceptWithheld(services, account.no, id);
      return ok(viewMessage(findOwnMessage(services.store, account.no, id) ?? fail('not_found')));
    },
  }),
];
