import type { PlatformServices } from '../../platform/services.ts';
import { listAccountNow } from './account-list/sql.ts';
import { searchByQuery } from './query/sql.ts';
import { type AccountSearch, hasText, type Search, searchAccount, searchMessages } from './search.ts';
import { listMessages, type SummaryRow } from './sql.ts';

type Store = PlatformServices['store'];
type ReadOptions = Parameters<Store['read']>[2];

/** In the worst case, text conditions read every subject, so they run on the reader thread. */
export async function findInInbox(store: Store, search: Search, options: ReadOptions): Promise<SummaryRow[]> {
  const { inbox_no, filter, before, limit } = search;
  if (filter.search) {
    const { terms } = filter.search;
    return store.read(searchByQuery, { scope: { inbox_no }, terms, filter, before, limit }, options);
  }
  if (hasText(search.filter)) return store.read(searchMessages, search, options);
  return listMessages(store, search.inbox_no, search.filter, search.before, search.limit);
}

/** The position of a message in a list of messages. */
export const byReceivedAt = ({ received_at }: SummaryRow) => received_at;

/** The same over all inboxes of an account, of which there may be many. */
export async function findInAccount(
  store: Store,
  search: AccountSearch,
  options: ReadOptions,
): Promise<SummaryRow[]> {
  const { account_no, filter, before, limit } = search;
  if (filter.search) {
    const { terms } = filter.search;
    return store.read(searchByQuery, { scope: { account_no }, terms, filter, before, limit }, options);
  }
  const found = hasText(search.filter) ? null : listAccountNow(store, search);
  return found ?? store.read(searchAccount, search, options);
}
