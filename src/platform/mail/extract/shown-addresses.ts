/** Finds the addresses that links of HTML show as their text. */
import { normalize } from '../displayed-text.ts';
import { type FoundLink, LINK_TEXT_MAX } from '../html/page.ts';
import { findSecret, hasSecret, PARAMETERS_MAX } from './link-secret.ts';
import type { ReadMail } from './reading.ts';
import { isWrapper, unwrap } from './unwrap.ts';

const showsAddress = ({ link, part }: ReadMail['links'][number]) =>
  part.source === 'html' && /^\s*https?:\/\//i.test(link.text);

/**
 * Returns where links lead, if not where they say. A click counter leads to the address that it shows, if that has a secret; both
 * would compete with each other. Null stands for an address that is shown only in part ("https://…/verify?token=9fK2…", or broken
 * over lines): it leads nowhere.
 */
export function findShownAddresses({ links }: ReadMail): ReadonlyMap<FoundLink, string | null> {
  const found = new Map<FoundLink, string | null>();
  const showing = links.filter(showsAddress);
  if (showing.length === 0) return found;
  const bare = new Map(
    links
      .filter(({ link, part }) => part.source === 'html' && link.text === '')
      .map(({ link }) => [`${link.line} ${link.start}`, link]),
  );
  for (const { link } of showing) {
    const shown = bare.get(`${link.line} ${link.start}`);
    if (!shown || shown.url === link.url) continue;
    const address = URL.parse(shown.url);
    if (!isWhole(link.text, shown.url)) found.set(shown, null);
    else if (address && hasSecret(address) && leadsElsewhere(link.url)) found.set(link, shown.url);
  }
  return found;
}

/** Whether a link's text is an address. Only the start of a long text is kept. */
function isWhole(text: string, address: string): boolean {
  const shown = normalize(text).trim();
  if (shown.length >= LINK_TEXT_MAX && address.startsWith(shown)) return true;
  return shown.startsWith(address) && /^[.,;:]?$/.test(shown.slice(address.length));
}

/** Whether an address is a click counter's, or has no long secret, like a short one: it then says nothing of where it leads. */
function leadsElsewhere(url: string): boolean {
  const { parsed } = unwrap(url);
  if (!parsed || isWrapper(parsed.hostname)) return true;
  const { token, query } = findSecret(parsed, [...parsed.searchParams].slice(0, PARAMETERS_MAX));
  return token + query === 0;
}
