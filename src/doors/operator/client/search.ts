import type { MessageSummaryView } from '../../../features/messages/wire.ts';
import { writePlainJson } from '../../../platform/core/plain-json.ts';
import type { PageView } from '../../../platform/http/wire.ts';
import { formatListedArrival } from '../arrival-lines.ts';
import { given, type LocalCommand, readCount } from '../command.ts';
import { mayColour } from '../paint.ts';
import { makeForeign, makeRemote, type Remote } from './remote.ts';

const LIMIT_DEFAULT = 25;
const LIMIT_MAX = 10_000;
const readLimit = (text: string) => readCount('limit', text, LIMIT_MAX);
/** Rows that the server returns in one page (docs/api-v1.md, Messages). */
const PAGE_ROWS = 100;

export const search: LocalCommand = {
  name: 'search',
  meaning: 'print a line for each message that matches a query, newest first',
  arguments: [
    {
      name: 'QUERY',
      field: 'search',
      meaning: 'words, "phrases" and tokens such as from:ann, has:code, -is:read',
    },
  ],
  flags: [
    {
      name: 'limit',
      value: 'N',
      check: readLimit,
      meaning: `most messages to print; ${LIMIT_DEFAULT} by default`,
    },
  ],
  takesSettings: 'client',
  examples: [
    'postern search \'from:shop "your order"\'',
    "postern search 'has:attachment after:2026-11-01 -is:read' --limit 100",
    "postern search --json -- '-from:shop tag:ci' | jq -r '.[].id'",
  ],
  async runHere({ input, json, loaded }) {
    const limit = input.limit === undefined ? LIMIT_DEFAULT : readLimit(input.limit);
    const found = await findMessages(makeRemote(loaded.settings), given(input, 'query'), limit);
    if (json) {
      process.stdout.write(`${writePlainJson(found)}\n`);
      return 0;
    }
    const colour = mayColour(process.stdout);
    for (const message of found) process.stdout.write(formatListedArrival(message, colour, 'date'));
    if (found.length === 0) process.stderr.write('No messages match.\n');
    return 0;
  },
};

async function findMessages(remote: Remote, query: string, limit: number): Promise<MessageSummaryView[]> {
  const found: MessageSummaryView[] = [];
  for (let cursor: string | null = ''; cursor !== null && found.length < limit; ) {
    const asked = new URLSearchParams({
      search: query,
      limit: String(Math.min(PAGE_ROWS, limit - found.length)),
      ...(cursor !== '' && { cursor }),
    });
    const answer = await remote.ask(`/api/v1/messages?${asked}`);
    const page = (await answer.json()) as PageView<MessageSummaryView>;
    // Mailpit has the same path and port.
    if (!Array.isArray(page.data)) throw makeForeign(remote.url);
    found.push(...page.data);
    cursor = page.pagination.next_cursor;
  }
  return found;
}
