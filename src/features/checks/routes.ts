import { z } from 'zod';
import { fail, failField } from '../../platform/core/failure.ts';
import { describeData } from '../../platform/http/page.ts';
import { type Param, QueryRefused } from '../../platform/http/query.ts';
import { ok } from '../../platform/http/reply.ts';
import { routeOn } from '../../platform/http/route.ts';
import { HEADER_BYTES_MAX } from '../../platform/mail/bounds.ts';
import type { MailToCheck } from '../../platform/mail/checks/findings.ts';
import { readContent } from '../../platform/mail/stored-mail.ts';
import { cutHeaderSection } from '../../platform/mail/structure.ts';
import type { HeldServices } from '../../platform/services.ts';
import { readPieces } from '../messages/raw.ts';
import { findOwnMessage, findOwnRaw, type RawRow } from '../messages/sql.ts';
import { fetchLinks, type LinkServices } from './fetch-links.ts';
import { Checks, type ChecksView } from './wire.ts';

const fetchParam: Param<boolean> = {
  schema: z.enum(['links']),
  about:
    '`links` also requests the links of the mail: at most 20, and none that could sign in or unsubscribe.',
  read(text) {
    if (text === null) return false;
    if (text !== 'links') throw new QueryRefused('must be links');
    return true;
  },
};

const route = routeOn<LinkServices & HeldServices>();

export const checkRoutes = [
  route({
    name: 'checkMessage',
    method: 'GET',
    path: '/api/v1/messages/:id/checks',
    summary: 'Check a message',
    description:
      'Returns what is wrong with a mail: HTML that mail clients do not support, links, List-Unsubscribe, size, ' +
      'accessibility and headers. A mail that takes too long to check gets `validation_error`.',
    tag: 'Messages',
    query: { fetch: fetchParam },
    responses: { 200: describeData(Checks) },
    fails: ['validation_error', 'rate_limited'],
    async run({ services, caller, params, query, request: { signal } }) {
      const { no: accountNo } = caller.account;
      const id = params.id ?? '';
      const message = findOwnMessage(services.store, accountNo, id) ?? fail('not_found');
      const raw = findOwnRaw(services.store, accountNo, id) ?? fail('not_found');
      const { html, text } = readContent(message);
      const mail: MailToCheck = {
        head: readHead(services, raw),
        text,
        html,
        bytes: raw.size,
        magic_link: message.magic_link,
      };
      // Mails that wait for the parser process are in memory, so their total is bounded: beyond it, 429.
      const held = services.heldBytes.take(accountNo, html.length + text.length);
      const found = await services.mailReader.findings(mail, accountNo).finally(held.release);
      if (!found) return failField('id', 'is of a message whose checks take too long');
      const links = query.fetch
        ? await fetchLinks(services, accountNo, found.links, signal)
        : found.links.map(({ url, text: shown, problem }) => ({ url, text: shown, problem }));
      return ok<ChecksView>({ ...found, links });
    },
  }),
];

/** Reads the header section. The first piece of a large mail contains all of it that the checks read. */
function readHead({ store }: HeldServices, raw: RawRow): string {
  const first = readPieces(store, raw).next();
  return first.done ? '' : Buffer.from(cutHeaderSection(first.value, HEADER_BYTES_MAX)).toString();
}
