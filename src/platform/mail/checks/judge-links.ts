import { linkProblems } from '../../../rules/checks.ts';
import { findRegisteredDomain } from '../domain-name.ts';
import { findWords, kind } from '../extract/lexicon.ts';
import { findSecret } from '../extract/link-secret.ts';
import { isWeb, unwrap } from '../extract/unwrap.ts';
import { JUDGED_LINKS_MAX, type JudgedLink, type LinkProblem, type SkipReason } from './findings.ts';
import { hasPlaceholder, isAddressHost, isExampleHost, isPrivateHost, isShortener } from './hosts.ts';

/** A link as it is written in the mail. */
export interface WrittenLink {
  url: string;
  text: string;
}

const URL_CHARS_MAX = 4_000;
const TEXT_CHARS_MAX = 200;

/** Links that are known to do something when they are requested. */
export interface KnownLinks {
  magicLink: string | null;
  /** The addresses in List-Unsubscribe. */
  unsubscribe: readonly string[];
}

/** Judges each address once, without requesting it. */
export function judgeLinks(links: readonly WrittenLink[], known: KnownLinks): JudgedLink[] {
  const judged = new Map<string, JudgedLink>();
  const skipped = new Map<string, SkipReason>();
  for (const each of known.unsubscribe) skipped.set(readRequest(each), 'unsubscribe');
  if (known.magicLink !== null) skipped.set(readRequest(known.magicLink), 'magic_link');
  for (const link of links) {
    const url = link.url.trim().slice(0, URL_CHARS_MAX).toWellFormed();
    const text = link.text.replace(/\s+/g, ' ').trim().slice(0, TEXT_CHARS_MAX).toWellFormed();
    const problem = findLinkProblem(url, text);
    const request = readRequest(url);
    const skipReason = skipped.get(request) ?? findSkipReason(url, text);
    if (skipReason) skipped.set(request, skipReason);
    const earlier = judged.get(url);
    // A deceptive text counts even if the same address came before with an honest one.
    if (earlier) earlier.problem ??= problem;
    else if (judged.size < JUDGED_LINKS_MAX) judged.set(url, { url, text, problem, skipReason });
  }
  // If one link must not be requested, neither may any other that makes the same request.
  for (const link of judged.values()) link.skipReason ??= skipped.get(readRequest(link.url)) ?? null;
  return [...judged.values()];
}

/**
 * Returns a key that is the same for all addresses that make the same request: a server does not see the fragment, many
 * answer http like https, and a click counter leads to its target.
 */
function readRequest(written: string): string {
  const { url, parsed } = unwrap(written);
  if (!parsed || !isWeb(parsed)) return url;
  return `${parsed.host}${parsed.pathname}${parsed.search}`;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;

/** Returns the worst problem of a link; null if it has none. */
function findLinkProblem(written: string, text: string): LinkProblem | null {
  if (written === '' || written === '#') return linkProblems.empty;
  if (hasPlaceholder(written)) return linkProblems.placeholder;
  const scheme = SCHEME.exec(written)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    // `#top` leads to a place in the mail itself.
    return written.startsWith('#') ? null : linkProblems.relative;
  }
  if (/^(javascript|vbscript|data)$/.test(scheme)) return linkProblems.script;
  const url = URL.parse(written);
  if (!url) return linkProblems.notAnAddress;
  if (!isWeb(url)) return null;
  const host = url.hostname.replace(/\.$/, '');
  if (isExampleHost(host)) return linkProblems.exampleHost;
  if (isPrivateHost(host)) return linkProblems.privateHost;
  if (isAddressHost(host)) return linkProblems.addressHost;
  if (url.username !== '' || url.password !== '') return linkProblems.login;
  if (showsAnotherHost(host, text)) return linkProblems.mismatch;
  if (isShortener(host)) return linkProblems.shortened;
  return scheme === 'http' ? linkProblems.insecure : null;
}

/** A text that is nothing but an address: `https://shop.com/x`, `www.shop.com` or `shop.com`. */
const SHOWN_ADDRESS = /^(?:https?:\/\/)?((?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24})(?:[/?#:]\S*)?$/iu;

function showsAnotherHost(host: string, text: string): boolean {
  const shown = SHOWN_ADDRESS.exec(text)?.[1];
  if (shown === undefined) return false;
  const shownHost = URL.parse(`https://${shown}`)?.hostname;
  return shownHost !== undefined && findRegisteredDomain(shownHost) !== findRegisteredDomain(host);
}

const UNSUBSCRIBE = /unsub|opt-?out|abmeld|desinscri|list-manage/i;

/** Returns why a link must not be requested: it does something when it is opened, or is not on the web. */
function findSkipReason(written: string, text: string): SkipReason | null {
  const url = URL.parse(written);
  if (!url || !isWeb(url)) return 'not_web';
  if (UNSUBSCRIBE.test(written) || findWords(text).kinds & kind.unsubscribe) return 'unsubscribe';
  const { token, query, short } = findSecret(url, [...url.searchParams]);
  return token > 0 || query > 0 || short >= 1 ? 'secret' : null;
}
