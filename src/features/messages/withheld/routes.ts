import { fail } from '../../../platform/core/failure.ts';
import { describePage, page, readPageRange } from '../../../platform/http/page.ts';
import { cursorParam, defineLimitParam } from '../../../platform/http/query.ts';
import { route } from '../../../platform/http/route.ts';
import { findOwnInbox } from '../../inboxes/sql.ts';
import { viewWithheld } from '../view.ts';
import { WithheldMessage } from '../wire.ts';
import { listWithheld } from './sql.ts';

export const withheldRoutes = [
  route({
    name: 'listWithheldMessages',
    method: 'GET',
    path: '/api/v1/inboxes/:id/withheld',
    summary: "List an inbox's withheld messages",
    description: "Returns the messages that the inbox's sender lists keep out, newest first.",
    tag: 'Messages',
    query: { limit: defineLimitParam(100, 25), cursor: cursorParam },
    responses: { 200: describePage(WithheldMessage) },
    links: { getMessage: { id: '0/id' }, acceptMessage: { id: '0/id' }, deleteMessage: { id: '0/id' } },
    run({ services, caller, params, query }) {
      const inbox = findOwnInbox(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      const scope = ['withheld', caller.account.no, inbox.no];
      const range = readPageRange(services, scope, query);
      const rows = listWithheld(services.store, inbox.no, range.before, range.rowsWanted);
      return page(services, range, rows, ({ at }) => at, viewWithheld);
    },
  }),
];
