import type { PlatformServices } from '../../platform/services.ts';
import { tryListAccount } from './account-list/sql.ts';
import { searchByQuery } from './query/sql.ts';
import { type AccountSearch, hasText, type Search, searchAccount, searchMessages } from './search.ts';
import { listMessages, type SummaryRow } from './sql.ts';

type Store = PlatformServices['store'];
type ReadOptions = Parameters<Store['read']>[2];

/**
 * Lists the messages of an inbox. Text conditions run on the reader thread, because in the worst case they read every
 * subject.
 */
export async function findInInbox(store: Store, search: Search, options: ReadOptions): Promise<SummaryRow[]> {
  const { inbox_no, filter, before, limit } = search;
  if (filter.search) {
    const { terms } = filter.search;
    return store.read(searchByQuery, { scope: { inbox_no }, terms, filter, before, limit }, options);
  }
  if (hasText(search.filter)) return store.read(searchMessages, search, options);
  return listMessages(store, search.inbox_no, search.filter, search.before, search.limit);
}

/** The position of a message in a list, for page(). */
export const byReceivedAt = ({ received_at }: SummaryRow) => received_at;

/** Lists the messages of all inboxes of an account. With very many inboxes, this too runs on the reader thread. */
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
  const found = hasText(search.filter) ? null : tryListAccount(store, search);
  return found ?? store.read(searchAccount, search, options);
}
