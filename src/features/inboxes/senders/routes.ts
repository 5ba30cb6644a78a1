import { fail } from '../../../platform/core/failure.ts';
import { describeData } from '../../../platform/http/page.ts';
import { ok } from '../../../platform/http/reply.ts';
import { route } from '../../../platform/http/route.ts';
import { findOwnInbox } from '../sql.ts';
import { checkSenders } from './check.ts';
import { readSenderLists } from './sql.ts';
import { NewSenderLists, SenderListsShape } from './wire.ts';
import { setSendersOp } from './writes.ts';

const senders = { tag: 'Inboxes', path: '/api/v1/inboxes/:id/senders' } as const;
/** Enough for a thousand addresses of maximum length. */
const BODY_BYTES_MAX = 512 * 1024;

export const senderRoutes = [
  route({
    ...senders,
    name: 'getSenders',
    method: 'GET',
    summary: "Get an inbox's sender lists",
    description: 'Returns who may write to an inbox.',
    responses: { 200: describeData(SenderListsShape) },
    run({ services, caller, params }) {
      const inbox = findOwnInbox(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      return ok(readSenderLists(services.store, inbox.no));
    },
  }),
  route({
    ...senders,
    name: 'setSenders',
    method: 'PUT',
    summary: "Set an inbox's sender lists",
    description:
      'Replaces the mode and both lists. Entries are returned normalised; a wrong one gets `validation_error` with its ' +
      'position in the list.',
    body: NewSenderLists,
    bodyBytesMax: BODY_BYTES_MAX,
    responses: { 200: describeData(SenderListsShape) },
    async run({ services, caller, params, body }) {
      const lists = checkSenders(services, body);
      const id = params.id ?? '';
      return ok(await services.store.write(setSendersOp, { account_no: caller.account.no, id, ...lists }));
    },
  }),
];
