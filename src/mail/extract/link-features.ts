/** What speaks for a link being the one that signs in, verifies, resets or accepts: numbers between 0 and 1. */

import { plain } from './fold.ts';
import { findWords, type Hit, kind } from './lexicon.ts';
import type { FoundLink } from './page.ts';
import { type Part, type Reading, share } from './reading.ts';
import { unwrapUrl } from './unwrap.ts';

/** A web address of the mail with every place where it stands. */
export interface LinkCandidate {
  url: string;
  parsed: URL;
  places: { link: FoundLink; part: Part }[];
}

export const LINK_FEATURES = [
  ...[
    'text_verify',
    'text_signin',
    'text_reset',
    'text_invite',
    'text_go',
    'text_url',
    'text_none',
    'text_long',
  ],
  ...[
    'text_deny',
    'text_unsubscribe',
    'text_legal',
    'text_help',
    'text_view',
    'text_promo',
    'text_order',
    'text_code',
  ],
  ...['near_verify', 'near_signin', 'near_reset', 'near_invite', 'near_go', 'near_expire'],
  ...['near_deny', 'near_unsubscribe', 'near_legal', 'near_help', 'near_footer'],
  ...[
    'path_act',
    'path_invite',
    'path_bad',
    'path_root',
    'path_short',
    'query_token',
    'token',
    'code_in_url',
    'host_bad',
  ],
  ...[
    'button',
    'large',
    'picture',
    'quoted',
    'first',
    'late',
    'repeated',
    'raw_too',
    'sender_host',
    'action',
  ],
  ...['mail_verify', 'mail_signin', 'mail_reset', 'mail_invite', 'mail_expire', 'mail_ignore', 'subject_act'],
  ...[
    'mail_promo',
    'mail_order',
    'mail_links',
    'mail_unsubscribe',
    'mail_deny',
    'only_token',
    'many_tokens',
    'no_token',
  ],
  ...['token_and_text', 'token_and_path', 'no_token_no_path', 'token_and_near'],
] as const;

export type LinkFeature = (typeof LINK_FEATURES)[number];
export type LinkVector = Record<LinkFeature, number>;

/** Distinct links that may be the one. */
const CANDIDATES_MAX = 60;

const NEVER_HOST =
  /(?:^|\.)(?:facebook|twitter|x|instagram|linkedin|youtube|tiktok|pinterest|reddit|threads|medium|discord|whatsapp|telegram|snapchat|vimeo|flickr|tumblr|yelp)\.(?:com|net|me|org|gg)$|(?:^|\.)(?:apps\.apple|itunes\.apple|play\.google|maps\.google|fonts\.googleapis|goo|bit)\.(?:com|gl|ly)$|(?:^|\.)(?:youtu\.be|t\.me|wa\.me|fb\.me|maps\.app\.goo\.gl|calendar\.google\.com|zoom\.us|gravatar\.com|trustpilot\.com|apps\.microsoft\.com|w3\.org|schema\.org)$/i;

/** The links that may be it, by what they lead to, in the order of their first place. */
export function linkCandidates(reading: Reading): LinkCandidate[] {
  const found = new Map<string, LinkCandidate>();
  for (const place of reading.links) {
    if (place.link.hidden || found.size >= CANDIDATES_MAX) continue;
    const url = unwrapUrl(place.link.url);
    const known = found.get(url);
    if (known) {
      if (known.places.length < 5) known.places.push(place);
      continue;
    }
    const parsed = URL.parse(url);
    if (parsed && /^https?:$/.test(parsed.protocol)) found.set(url, { url, parsed, places: [place] });
  }
  return [...found.values()];
}

const TOKEN_NAME =
  /(?:^|[_-])(?:token|code|key|hash|secret|otp|pin|ticket|nonce|signature|sig|jwt|invite|invitation|oobcode|verification|confirmation|reset|magic|auth|confirm|verify|activation|activate|uid|t|k|h|c|q|upn|data|payload|state|id|i|ref)$/i;
const STRONG_TOKEN_NAME =
  /token|code|secret|otp|oobcode|nonce|jwt|invit|verif|confirm|reset|magic|auth|activ|passcode|hash|key|ticket|signature|sesame|credential/i;
const ACT_IN_PATH =
  /verif|confirm|activat|activar|valid|reset|recover|forgot|magic|passwordless|sign-?in|log-?in|signin|login|sign-?up|regist|auth|unlock|password|passwd|token|callback|sso|otp|one-?time|opt-?in|double-?opt|email-?change|change-?email|set-?password|onboard|complete|approve|session|access|welcome|enroll|account\/(?:new|create)/i;
const INVITE_IN_PATH = /invit|accept|join|membership/i;
const BAD_PATH =
  /unsub|opt-?out|preference|privacy|terms|legal|polic|help|support|contact|faq|about|blog|article|docs?\/|order|track|invoice|receipt|product|shop|store|cart|checkout|survey|review|feedback|rate|download|share|view|browser|webversion|calendar|event|meeting|pixel|open\.|logo|\.(?:png|gif|jpe?g|svg|ics|pdf)$|billing|pricing|upgrade|settings|manage|report|cancel|deny|decline|reject|revoke|not-?me|disavow|donate|news|promo|offer|status|ship|notification/i;

const isToken = (value: string) => {
  if (value.length < 8 || value.length > 4000 || !/^[\w.~+/=%:|$!*-]+$/.test(value)) return false;
  if (/^\d{13,}$/.test(value)) return true;
  const digits = /\d/.test(value);
  // Letters and digits in turns, as in no word.
  if ((value.match(/\d[A-Za-z]|[A-Za-z]\d/g)?.length ?? 0) >= 3) return true;
  if (/^[0-9a-f-]{16,}$/i.test(value) && digits) return true;
  const mixed = /[a-z]/.test(value) && /[A-Z]/.test(value);
  if (value.length >= 12 && (mixed ? digits || value.length >= 16 : digits))
    return !/^[a-z]+(?:[-_][a-z0-9]+)+$/.test(value) || longest(value) >= 16;
  return value.length >= 16 && mixed && !/[-_]/.test(value.slice(1, -1));
};

const longest = (value: string) => Math.max(...value.split(/[-_]/).map((part) => part.length));

/** How sure it is that the address carries a secret: 1, 0.5 by its name alone, 0. */
function tokenIn(url: URL): { token: number; query: number } {
  let token = 0;
  let query = 0;
  const pairs = [...url.searchParams, ...fragmentPairs(url.hash)].slice(0, 30);
  for (const [name, value] of pairs) {
    const strong = STRONG_TOKEN_NAME.test(name);
    if (isToken(value)) token = 1;
    if ((strong && value.length >= 4) || (TOKEN_NAME.test(name) && isToken(value)))
      query = Math.max(query, strong ? 1 : 0.6);
  }
  const parts = url.pathname.slice(0, 4000).split('/').slice(0, 20);
  if (parts.some((part) => isToken(safeDecode(part)))) token = 1;
  return { token, query };
}

const fragmentPairs = (hash: string): [string, string][] =>
  hash.length < 5
    ? []
    : hash.includes('=')
      ? [...new URLSearchParams(hash.slice(hash.indexOf('?') + 1).replace(/^#/, ''))]
      : [['fragment', hash.slice(1)]];

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const NOTHING_KNOWN = Object.fromEntries(LINK_FEATURES.map((name) => [name, 0])) as LinkVector;

/** Everything about one link; `siblings` are the others. */
export function linkFeatures(
  reading: Reading,
  link: LinkCandidate,
  index: number,
  of_mail: Partial<LinkVector>,
  code: string | null,
): LinkVector {
  const vector = { ...NOTHING_KNOWN };
  take(vector, of_mail);
  take(vector, urlFeatures(reading, link, code));
  for (const place of link.places) take(vector, placeFeatures(reading, link, place));
  vector.first = index === 0 ? 1 : 0;
  vector.late = Math.min(1, index / 10);
  vector.repeated = link.places.length > 1 ? 1 : 0;
  vector.quoted = link.places.every((place) => place.part.lines[place.link.line]?.quoted ?? place.link.quoted)
    ? 1
    : 0;
  vector.text_none = link.places.every(
    (place) => place.link.text.trim() === '' && place.part.source === 'html',
  )
    ? 1
    : 0;
  const action = Math.max(vector.text_verify, vector.text_signin, vector.text_reset, vector.text_invite);
  const near = Math.max(vector.near_verify, vector.near_signin, vector.near_reset, vector.near_invite);
  const secret = Math.max(vector.token, vector.query_token, vector.code_in_url);
  const path = Math.max(vector.path_act, vector.path_invite);
  vector.no_token = 1 - secret;
  vector.token_and_text = secret * action;
  vector.token_and_path = secret * path;
  vector.token_and_near = secret * near;
  vector.no_token_no_path = (1 - secret) * (1 - path);
  return vector;
}

/** How many of the mail's links carry something secret: the same for all. */
export function tokenCounts(links: LinkCandidate[]): number {
  return links.filter(({ parsed }) => tokenIn(parsed).token === 1).length;
}

function take(vector: LinkVector, found: Partial<LinkVector>): void {
  for (const name in found) {
    const value = Number(found[name as LinkFeature]);
    if (value > vector[name as LinkFeature]) vector[name as LinkFeature] = value;
  }
}

function urlFeatures(reading: Reading, link: LinkCandidate, code: string | null): Partial<LinkVector> {
  const { url, parsed } = link;
  const { token, query } = tokenIn(parsed);
  const path = parsed.pathname.slice(0, 1000);
  const named = `${path} ${parsed.hash.slice(0, 300).replace(/[=].*/, '')} ${[...parsed.searchParams]
    .slice(0, 30)
    .map(
      ([name, value]) => `${name} ${/^(?:type|action|mode|flow|rid|purpose|op)$/i.test(name) ? value : ''}`,
    )
    .join(' ')}`;
  const is_root = path === '/' && parsed.search === '' && parsed.hash === '';
  return {
    token,
    query_token: query,
    code_in_url: Number(code !== null && code.length >= 4 && url.includes(code)),
    path_act: Number(ACT_IN_PATH.test(named)),
    path_invite: Number(INVITE_IN_PATH.test(named)),
    path_bad: Number(
      BAD_PATH.test(path) || /^(?:help|support|docs|faq|blog|status)\./i.test(parsed.hostname),
    ),
    path_root: Number(is_root),
    path_short: Number(!is_root && url.length < 30 + parsed.hostname.length && token === 0 && query === 0),
    host_bad: Number(NEVER_HOST.test(parsed.hostname) && token + query < 1.5),
    sender_host: Number(domainOf(reading.from) === mainDomain(parsed.hostname)),
    action: actionShare(reading, link),
  };
}

/** What the sender itself calls the mail's action: to confirm is more than to view. */
function actionShare(reading: Reading, { url, places }: LinkCandidate): number {
  let most = 0;
  for (const { type, url: target } of reading.actions) {
    if (!sameUrl(target, url, places)) continue;
    if (/^(?:Confirm|Activate|Accept|Join|Authorize|Register)Action$/.test(type)) most = 1;
    else if (/^(?:Save|View)Action$/.test(type)) most = Math.max(most, 0.3);
  }
  return most;
}

const sameUrl = (one: string, url: string, places: LinkCandidate['places']) =>
  unwrapUrl(one) === url || places.some(({ link }) => link.url === one);

const mainDomain = (host: string) => host.toLowerCase().split('.').slice(-2).join('.');
const domainOf = (from: string) => mainDomain(/@([\w.-]{1,253})>?\s*$/.exec(from)?.[1] ?? '');

/** Lines around a link whose words count as its surroundings. */
const LINES_BEFORE = 3;

function placeFeatures(
  reading: Reading,
  link: LinkCandidate,
  { link: found, part }: LinkCandidate['places'][number],
): Partial<LinkVector> {
  const text = plain(found.text).replace(/\s+/g, ' ').trim();
  const is_url = /^(?:https?:\/\/|www\.)/i.test(text) || text === link.url;
  const on_text = is_url ? [] : findWords(text);
  const own = part.lines[found.line];
  const around = wordsAround(part, found.line);
  const has = (hits: Hit[], bits: number) => Number(hits.some(({ kinds }) => kinds & bits));
  const own_hits = own?.hits ?? [];
  return {
    text_verify: has(on_text, kind.verify),
    text_signin: has(on_text, kind.signin),
    text_reset: has(on_text, kind.reset),
    text_invite: has(on_text, kind.invite),
    text_go: has(on_text, kind.go),
    text_url: Number(is_url || (text === '' && part.source === 'text')),
    text_long: Number(text.length > 60 && !is_url),
    text_deny: has(on_text, kind.deny),
    text_unsubscribe: has(on_text, kind.unsubscribe),
    text_legal: has(on_text, kind.legal),
    text_help: has(on_text, kind.help),
    text_view: has(on_text, kind.view),
    text_promo: has(on_text, kind.promo),
    text_order: has(on_text, kind.order),
    text_code: has(on_text, kind.strong),
    near_verify: has(around, kind.verify),
    near_signin: has(around, kind.signin),
    near_reset: has(around, kind.reset),
    near_invite: has(around, kind.invite),
    near_go: has(around, kind.go),
    near_expire: has(around, kind.expire),
    near_deny: has(own_hits, kind.deny),
    near_unsubscribe: has(own_hits, kind.unsubscribe),
    near_legal: has(own_hits, kind.legal),
    near_help: has(own_hits, kind.help),
    near_footer: has(own_hits, kind.footer),
    button: Number(found.button),
    large: Math.min(1, Math.max(0, found.size / reading.usual_size - 1.1)),
    picture: Number(found.picture),
    raw_too: Number(is_url),
  };
}

function wordsAround(part: Part, index: number): Hit[] {
  const hits: Hit[] = [];
  let seen = 0;
  for (let at = index; at >= 0 && seen <= LINES_BEFORE; at--) {
    const line = part.lines[at];
    if (!line || line.text === '') continue;
    seen++;
    hits.push(...line.hits);
  }
  return hits;
}

/** What is the same for every link of a mail. */
export function linkMailFeatures(reading: Reading, links: LinkCandidate[]): Partial<LinkVector> {
  const tokens = tokenCounts(links);
  const subject = reading.subject?.hits ?? [];
  return {
    mail_verify: share(reading, kind.verify, 2),
    mail_signin: share(reading, kind.signin, 2),
    mail_reset: share(reading, kind.reset, 2),
    mail_invite: share(reading, kind.invite, 2),
    mail_expire: share(reading, kind.expire, 1),
    mail_ignore: share(reading, kind.ignore, 1),
    mail_deny: share(reading, kind.deny, 2),
    subject_act: Number(
      subject.some(({ kinds }) => kinds & (kind.verify | kind.signin | kind.reset | kind.invite)),
    ),
    mail_promo: share(reading, kind.promo, 3),
    mail_order: share(reading, kind.order, 6),
    mail_links: Math.min(1, links.length / 15),
    mail_unsubscribe: share(reading, kind.unsubscribe, 1),
    only_token: Number(tokens === 1),
    many_tokens: Math.min(1, Math.max(0, tokens - 2) / 6),
  };
}
