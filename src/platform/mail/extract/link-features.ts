/** Computes the features of links: which one signs in, verifies, resets or accepts? Values are between 0 and 1. */
import { normalize } from '../displayed-text.ts';
import type { FoundLink } from '../html/page.ts';
import { findWords, type Hit, kind } from './lexicon.ts';
import {
  countChanges,
  findSecret,
  hasSecret,
  NO_SECRET,
  NUMBER_NAME,
  PARAMETERS_MAX,
  type Parameter,
  type Secret,
} from './link-secret.ts';
import { isIfNotMe } from './not-me.ts';
import { collectKinds, isMeeting, measureShare, type ReadMail, type ReadPart } from './reading.ts';
import { findShownAddresses } from './shown-addresses.ts';
import { asksToUndo, UNDO_IN_PATH, withoutUndo } from './undo.ts';
import { isWeb, isWrapper, unwrap, type WrittenUrl } from './unwrap.ts';
import { indexNames, mark, raise, type Vector } from './vector.ts';

/** A web address in the mail, with all its places. */
export interface LinkCandidate {
  url: string;
  parsed: URL;
  places: { link: FoundLink; part: ReadPart }[];
  parameters: Parameter[];
  /** Whether its host is in the sender's domain. */
  isSenders: boolean;
  secret: Secret;
}

// biome-ignore format: row by row
export const LINK_FEATURES = [
  'text_verify', 'text_signin', 'text_reset', 'text_invite', 'text_go', 'text_url', 'text_none', 'text_long',
  'text_deny', 'text_unsubscribe', 'text_legal', 'text_help', 'text_view', 'text_promo', 'text_order',
  'text_code',
  'near_verify', 'near_signin', 'near_reset', 'near_invite', 'near_go', 'near_expire',
  'near_deny', 'near_unsubscribe', 'near_legal', 'near_help', 'near_footer',
  'path_act', 'path_invite', 'path_bad', 'path_root', 'path_short', 'query_token', 'token', 'code_in_url',
  'host_bad',
  'button', 'large', 'picture', 'quoted', 'first', 'late', 'repeated', 'raw_too', 'sender_host', 'action',
  'mail_verify', 'mail_signin', 'mail_reset', 'mail_invite', 'mail_expire', 'mail_ignore', 'subject_act',
  'mail_promo', 'mail_order', 'mail_links', 'mail_unsubscribe', 'mail_deny', 'only_token', 'many_tokens',
  'no_token',
  'token_short', 'path_deny', 'mail_meeting', 'short_and_text', 'token_and_text', 'token_and_path', 'no_token_no_path', 'token_and_near',
] as const;

export type LinkFeature = (typeof LINK_FEATURES)[number];

const at = indexNames(LINK_FEATURES);

/** Different links that are weighed. */
const CANDIDATES_MAX = 60;

const NEVER_HOST =
  /(?:^|\.)(?:facebook|twitter|x|instagram|linkedin|youtube|tiktok|pinterest|reddit|threads|medium|discord|whatsapp|telegram|snapchat|vimeo|flickr|tumblr|yelp)\.(?:com|net|me|org|gg)$|(?:^|\.)(?:apps\.apple|itunes\.apple|play\.google|maps\.google|fonts\.googleapis|goo|bit)\.(?:com|gl|ly)$|(?:^|\.)(?:youtu\.be|t\.me|wa\.me|fb\.me|maps\.app\.goo\.gl|calendar\.google\.com|zoom\.us|gravatar\.com|trustpilot\.com|apps\.microsoft\.com|w3\.org|schema\.org)$/i;

/** Lists the candidate links by target, in the order of their first place. */
export function listLinkCandidates(reading: ReadMail): LinkCandidate[] {
  const found = new Map<string, LinkCandidate>();
  const targets = new Map<string, WrittenUrl>();
  const sender = readSenderDomain(reading.from);
  const shown = findShownAddresses(reading);
  for (const place of reading.links) {
    if (place.link.hidden || found.size >= CANDIDATES_MAX) continue;
    const written = shown.get(place.link);
    if (written === null) continue;
    const { url, parsed } = targets.getOrInsertComputed(written ?? place.link.url, unwrap);
    const known = found.get(url);
    if (known) {
      if (known.places.length < 5) known.places.push(place);
      continue;
    }
    if (!parsed || !isWeb(parsed)) continue;
    const parameters = parsed.search === '' ? [] : [...parsed.searchParams].slice(0, PARAMETERS_MAX);
    const secret = findSecret(parsed, parameters);
    const isSenders = sender === readMainDomain(parsed.hostname);
    found.set(url, { url, parsed, parameters, isSenders, secret, places: [place] });
  }
  const links = [...found.values()];
  for (const link of links) if (showsOtherAddress(link)) link.secret = NO_SECRET;
  return links;
}

/** A link's text that is an address: "acme.example", "https://acme.example/help". */
const SHOWN_ADDRESS = /^(?:https?:\/\/)?(?:[a-z\d-]{1,63}\.){1,5}[a-z]{2,24}(?:[/?#]\S{0,2000})?$/i;

/** Whether a link shows an address of another site, without a secret: the one in its own is a click counter's. */
function showsOtherAddress({ parsed, secret, places }: LinkCandidate): boolean {
  if (secret.token + secret.query + secret.short === 0) return false;
  const shown = places.filter(({ part }) => part.source === 'html').map(({ link }) => link.text.trim());
  return shown.length > 0 && shown.every((text) => SHOWN_ADDRESS.test(text) && isOther(text, parsed));
}

function isOther(text: string, { hostname }: URL): boolean {
  const shown = URL.parse(/^https?:/i.test(text) ? text : `https://${text}`);
  return shown !== null && readMainDomain(shown.hostname) !== readMainDomain(hostname) && !hasSecret(shown);
}

const ACT_IN_PATH =
  /verif|confirm|activat|activar|valid|reset|recover|forgot|magic|passwordless|sign-?in|log-?in|signin|login|sign-?up|regist|auth|unlock|password|passwd|token|callback|sso|otp|one-?time|opt-?in|double-?opt|email-?change|change-?email|set-?password|set-?up\b|onboard|complete|approve|session|access|welcome|enroll|aktiv|ativ|activer|bestaetig|confirm|bekraft|bekreft|potwierd|potvrd|aktyw|weryfik|vahvist|dogrul|conferm|attiv|verifier|recuper|ripristin|restabl|reinit|wachtwoord|passwort|contrasena|heslo|haslo|senha|anmeld|connexion|accedi|entrar|account\/(?:new|create)|salasana|l[oö]senord|passord|adgangskode|parola|jelsz[oó]|lozink|geslo|(?:^|\W)sifre|slaptazod|parool|inlog|kirjaudu|prihlas|zaloguj|logowan|bejelentkez|belepes|prijav|megerosit|patvirtin|apstiprin|kinnita|bevestig|onayla|xac-?(?:nhan|minh|thuc)/i;
const INVITE_IN_PATH =
  /invit|accept|join|membership|einlad|convit|convid|aceit|acept|uitnod|zapros|pozv|davet|inbjud|undang/i;
const BAD_PATH =
  /unsub|opt-?out|preference|privacy|terms|legal|polic|help|support|contact|faq|about|blog|article|docs?\/|order|track|invoice|receipt|product|shop|store|cart|checkout|survey|review|feedback|rate|download|share|view|browser|webversion|calendar|event|meeting|pixel|open\.|logo|\.(?:png|gif|jpe?g|svg|ics|pdf)$|billing|pricing|upgrade|settings|manage|report|donate|news|promo|offer|status|ship|notification/i;

const DENY_IN_PATH =
  /cancel|deny|decline|reject|revoke|not-?me|was-?nt-?me|disavow|dismiss|abuse|block|undo|stornier|widerruf|ablehn|annul|refus|rechaz|recus|rifiut|weiger|avbryt|odrzuc|anuluj|zrus|iptal|otmen/i;

/** How much the random part of an address counts at a click counter, where every link has one. */
const COUNTER_SHARE = 0.9;

/**
 * Computes all features of one link.
 *
 * @param ofMail the features that all links share.
 * @param code the mail's most likely code; null without one.
 */
export function computeLinkFeatures(
  reading: ReadMail,
  link: LinkCandidate,
  index: number,
  ofMail: Vector,
  code: string | null,
): Vector {
  const vector = ofMail.slice();
  markUrl(vector, reading, link, code);
  for (const place of link.places) markPlace(vector, reading, link, place);
  mark(vector, at.first, index === 0);
  vector[at.late] = Math.min(1, index / 10);
  mark(vector, at.repeated, link.places.length > 1);
  mark(
    vector,
    at.quoted,
    link.places.every((place) => place.part.lines[place.link.line]?.quoted ?? place.link.quoted),
  );
  mark(
    vector,
    at.text_none,
    link.places.every((place) => place.part.source === 'html' && place.link.text.trim() === ''),
  );
  const most = (...indexes: number[]) => Math.max(...indexes.map((index) => vector[index]!));
  const isDenial = vector[at.text_deny] === 1 || vector[at.path_deny] === 1;
  const action = isDenial ? 0 : most(at.text_verify, at.text_signin, at.text_reset, at.text_invite);
  const near = most(at.near_verify, at.near_signin, at.near_reset, at.near_invite);
  const random = Math.max(most(at.token, at.query_token, at.code_in_url), 0.7 * vector[at.token_short]!);
  const secret = isWrapper(link.parsed.hostname) ? COUNTER_SHARE * random : random;
  const path = isDenial ? 0 : most(at.path_act, at.path_invite);
  vector[at.no_token] = 1 - secret;
  vector[at.token_and_text] = secret * action;
  vector[at.short_and_text] = vector[at.token_short]! * Math.max(action, isDenial ? 0 : vector[at.text_go]!);
  vector[at.token_and_path] = secret * path;
  vector[at.token_and_near] = secret * near;
  vector[at.no_token_no_path] = (1 - secret) * (1 - path);
  return vector;
}

function markUrl(vector: Vector, reading: ReadMail, link: LinkCandidate, code: string | null): void {
  const { url, parsed, parameters, secret } = link;
  const { hostname, pathname, search, hash } = parsed;
  const path = pathname.slice(0, 1000);
  const words = withoutRandom(path);
  const named = `${words} ${hash.slice(0, 300).replace(/[=].*/, '')} ${joinNames(parameters)}`;
  const isRoot = path === '/' && search === '' && hash === '';
  raise(vector, at.token, secret.token);
  raise(vector, at.query_token, secret.query);
  raise(vector, at.token_short, secret.short);
  mark(vector, at.code_in_url, code !== null && code.length >= 4 && url.includes(code));
  mark(vector, at.path_act, ACT_IN_PATH.test(named));
  mark(vector, at.path_invite, INVITE_IN_PATH.test(named));
  mark(
    vector,
    at.path_bad,
    (BAD_PATH.test(words) && !isWrapper(hostname)) ||
      /^(?:help|support|docs|faq|blog|status)\./i.test(hostname),
  );
  mark(
    vector,
    at.path_deny,
    DENY_IN_PATH.test(named) || (UNDO_IN_PATH.test(named) && !asksToUndo(reading, link.places)),
  );
  mark(vector, at.path_root, isRoot);
  const saysNothing = secret.token + secret.query + secret.short === 0;
  mark(vector, at.path_short, !isRoot && url.length < 30 + hostname.length && saysNothing);
  mark(vector, at.host_bad, secret.token + secret.query < 1.5 && NEVER_HOST.test(hostname));
  mark(vector, at.sender_host, link.isSenders);
  raise(vector, at.action, shareOfActions(reading, link));
}

/** Removes random pieces from a path: by chance, one may have the letters of a short word ("otp"). */
const withoutRandom = (path: string) =>
  path.replace(/[A-Za-z\d]{8,}/g, (piece) => (countChanges(piece) >= 3 ? '' : piece));

/** Joins the names of the parameters, and the values that say what the link is for. */
function joinNames(parameters: LinkCandidate['parameters']): string {
  return parameters
    .filter(([name]) => !NUMBER_NAME.test(name))
    .map(
      ([name, value]) => `${name} ${/^(?:type|action|mode|flow|rid|purpose|op)$/i.test(name) ? value : ''}`,
    )
    .join(' ');
}

/** How much the sender's own label of the mail's action counts: confirming more than viewing. */
function shareOfActions(reading: ReadMail, { url, places }: LinkCandidate): number {
  let most = 0;
  for (const { type, url: target } of reading.actions) {
    if (!isSameUrl(target, url, places)) continue;
    if (/^(?:Confirm|Activate|Accept|Join|Authorize|Register)Action$/.test(type)) most = 1;
    else if (/^(?:Save|View)Action$/.test(type)) most = Math.max(most, 0.3);
  }
  return most;
}

const isSameUrl = (one: string, url: string, places: LinkCandidate['places']) =>
  unwrap(one).url === url || places.some(({ link }) => link.url === one);

const readMainDomain = (host: string) => host.toLowerCase().split('.').slice(-2).join('.');
const readSenderDomain = (from: string) => readMainDomain(/@([\w.-]{1,253})>?\s*$/.exec(from)?.[1] ?? '');

/** Which words count for which feature: in the link, around it, and in its line. */
const ON_TEXT = [
  [at.text_verify, kind.verify],
  [at.text_signin, kind.signin],
  [at.text_reset, kind.reset],
  [at.text_invite, kind.invite],
  [at.text_go, kind.go],
  [at.text_deny, kind.deny],
  [at.text_unsubscribe, kind.unsubscribe],
  [at.text_legal, kind.legal],
  [at.text_help, kind.help],
  [at.text_view, kind.view],
  [at.text_promo, kind.promo],
  [at.text_order, kind.order],
  [at.text_code, kind.code | kind.strong],
] as const;
const AROUND = [
  [at.near_verify, kind.verify],
  [at.near_signin, kind.signin],
  [at.near_reset, kind.reset],
  [at.near_invite, kind.invite],
  [at.near_go, kind.go],
  [at.near_expire, kind.expire],
] as const;
const IN_LINE = [
  [at.near_deny, kind.deny],
  [at.near_unsubscribe, kind.unsubscribe],
  [at.near_legal, kind.legal],
  [at.near_help, kind.help],
  [at.near_footer, kind.footer],
] as const;

function markPlace(
  vector: Vector,
  reading: ReadMail,
  link: LinkCandidate,
  place: LinkCandidate['places'][number],
): void {
  const { link: found, part } = place;
  const text = normalize(found.text).replace(/\s+/g, ' ').trim();
  const isUrl = /^(?:https?:\/\/|www\.)/i.test(text) || text === link.url;
  const isUndo = withoutUndo(text) !== text || UNDO_IN_PATH.test(found.url);
  const isWanted = isUndo && asksToUndo(reading, [place]);
  if (isIfNotMe(part, found)) {
    // The words say what a stranger should do, so they don't count as an action of the mail.
    mark(vector, at.text_deny, 1);
  } else {
    markKinds(vector, ON_TEXT, isUrl ? 0 : readLabelKinds(isWanted ? withoutUndo(text) : text));
    markKinds(vector, AROUND, collectKinds(part, found.line));
  }
  markKinds(vector, IN_LINE, (part.lines[found.line]?.words.kinds ?? 0) & ~(isWanted ? kind.deny : 0));
  mark(vector, at.text_url, isUrl || (text === '' && part.source === 'text'));
  mark(vector, at.text_long, text.length > 60 && !isUrl);
  mark(vector, at.button, found.button);
  raise(vector, at.large, Math.min(1, found.size / reading.usualSize - 1.1));
  mark(vector, at.picture, found.picture);
  mark(vector, at.raw_too, isUrl);
}

/** Returns the kinds of a label's words. One to deny does not count inside one to reset: "Poništi lozinku". */
function readLabelKinds(text: string): number {
  const { hits, kinds } = findWords(text);
  if ((kinds & kind.deny) === 0 || (kinds & kind.reset) === 0) return kinds;
  const resets = hits.filter((hit) => hit.kinds & kind.reset);
  const isCovered = ({ start, end }: Hit) => resets.some((hit) => hit.start <= start && end <= hit.end);
  return hits.reduce((all, hit) => all | (isCovered(hit) ? hit.kinds & ~kind.deny : hit.kinds), 0);
}

function markKinds(vector: Vector, meanings: readonly (readonly [number, number])[], kinds: number): void {
  if (kinds === 0) return;
  for (const [index, bit] of meanings) mark(vector, index, kinds & bit);
}

/** Computes the features that all links of a mail share. */
export function computeLinkMailFeatures(reading: ReadMail, links: LinkCandidate[]): Vector {
  const vector = new Float64Array(LINK_FEATURES.length);
  const tokens = links.filter(({ secret }) => secret.token === 1).length;
  const subject = reading.subject?.words.kinds ?? 0;
  raise(vector, at.mail_verify, measureShare(reading, kind.verify, 2));
  raise(vector, at.mail_signin, measureShare(reading, kind.signin, 2));
  raise(vector, at.mail_reset, measureShare(reading, kind.reset, 2));
  raise(vector, at.mail_invite, measureShare(reading, kind.invite, 2));
  raise(vector, at.mail_expire, measureShare(reading, kind.expire, 1));
  raise(vector, at.mail_ignore, measureShare(reading, kind.ignore, 1));
  raise(vector, at.mail_deny, measureShare(reading, kind.deny, 2));
  mark(vector, at.subject_act, subject & (kind.verify | kind.signin | kind.reset | kind.invite));
  raise(vector, at.mail_promo, measureShare(reading, kind.promo, 3));
  raise(vector, at.mail_order, measureShare(reading, kind.order, 6));
  raise(vector, at.mail_links, Math.min(1, links.length / 15));
  raise(vector, at.mail_unsubscribe, measureShare(reading, kind.unsubscribe, 1));
  mark(vector, at.mail_meeting, isMeeting(reading));
  mark(vector, at.only_token, tokens === 1);
  raise(vector, at.many_tokens, Math.min(1, Math.max(0, tokens - 2) / 6));
  return vector;
}
