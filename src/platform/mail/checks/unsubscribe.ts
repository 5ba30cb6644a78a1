import { unsubscribeProblems } from '../../../rules/checks.ts';
import type { HeaderFields } from '../header-fields.ts';
import type { MailFindings, UnsubscribeProblem } from './findings.ts';
import { hasPlaceholder, isPrivateHost } from './hosts.ts';

const URLS_MAX = 20;
const URL_CHARS_MAX = 4_000;

/** Checks List-Unsubscribe (RFC 2369 3.2), and whether one click is enough (RFC 8058). */
export function checkUnsubscribe(fields: HeaderFields): MailFindings['list_unsubscribe'] {
  const headers = fields.all('list-unsubscribe');
  const posts = fields.all('list-unsubscribe-post');
  const [header] = headers;
  if (header === undefined) return { present: false, one_click: false, urls: [], problems: [] };
  const urls = [...header.matchAll(/<([^<>]*)>/g)]
    .slice(0, URLS_MAX)
    // Folding leaves white space in an address.
    .map(([, url = '']) => url.replace(/\s+/g, '').slice(0, URL_CHARS_MAX).toWellFormed());
  const hasHttps = urls.some((url) => /^https:/i.test(url) && URL.canParse(url));
  const isOneClick = posts.length === 1 && /^List-Unsubscribe\s*=\s*One-Click$/i.test(posts[0]!);
  const problems: UnsubscribeProblem[] = [];
  const add = (is: boolean, problem: UnsubscribeProblem) => is && problems.push(problem);
  add(headers.length > 1, unsubscribeProblems.repeated);
  add(urls.length === 0, unsubscribeProblems.noAddress);
  add(
    urls.some((url) => !/^(https|mailto):/i.test(url)),
    unsubscribeProblems.badAddress,
  );
  add(hasPlaceholder(header), unsubscribeProblems.placeholder);
  add(urls.some(isPrivateUrl), unsubscribeProblems.privateHost);
  add(posts.length === 0, unsubscribeProblems.noPost);
  add(posts.length > 0 && !isOneClick, unsubscribeProblems.wrongPost);
  add(isOneClick && !hasHttps, unsubscribeProblems.noHttps);
  add(isOneClick && isLeftUnsigned(fields.all('dkim-signature')), unsubscribeProblems.unsigned);
  return { present: true, one_click: isOneClick && hasHttps, urls, problems };
}

function isPrivateUrl(written: string): boolean {
  const url = URL.parse(written);
  return /^https?:/i.test(written) && url !== null && isPrivateHost(url.hostname);
}

/**
 * Whether a mail is signed, but not these two headers (RFC 8058 4). A mail without a signature may still get one on
 * its way out, so it is not reported.
 */
function isLeftUnsigned(signatures: string[]): boolean {
  const covers = (signature: string) => {
    const signed = (/(?:^|;)\s*h\s*=([^;]*)/i.exec(signature)?.[1] ?? '').toLowerCase().split(/[\s:]+/);
    return signed.includes('list-unsubscribe') && signed.includes('list-unsubscribe-post');
  };
  return signatures.length > 0 && !signatures.some(covers);
}
