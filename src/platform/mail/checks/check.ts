import { GMAIL_CLIP_BYTES } from '../../../rules/checks.ts';
import { readText } from '../extract/plain-text.ts';
import { HeaderFields } from '../header-fields.ts';
import type { MailFindings, MailToCheck } from './findings.ts';
import { checkHeaders } from './headers.ts';
import { checkHtml } from './html.ts';
import { judgeLinks } from './judge-links.ts';
import { checkUnsubscribe } from './unsubscribe.ts';

/**
 * Finds everything that is wrong with a mail by reading it, without any request. For strangers' mail it runs in the
 * parser process.
 */
export function checkMail(mail: MailToCheck): MailFindings {
  const { html, text, bytes } = mail;
  const fields = new HeaderFields(mail.head);
  const found = checkHtml(html);
  const unsubscribe = checkUnsubscribe(fields);
  const htmlBytes = Buffer.byteLength(html);
  const written = text === '' ? [] : readText(text).links;
  return {
    html: found.support,
    links: judgeLinks([...found.links, ...written.map(({ url }) => ({ url, text: '' }))], {
      magicLink: mail.magic_link,
      unsubscribe: unsubscribe.urls,
    }),
    list_unsubscribe: unsubscribe,
    size: { bytes, html_bytes: htmlBytes, clipped_by: htmlBytes > GMAIL_CLIP_BYTES ? ['gmail'] : [] },
    accessibility: found.accessibility,
    headers: checkHeaders(fields, mail),
  };
}
