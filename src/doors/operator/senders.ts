import { findInbox } from '../../features/inboxes/find.ts';
import { checkSenders } from '../../features/inboxes/senders/check.ts';
import { readEntry } from '../../features/inboxes/senders/entry.ts';
import { readSenderLists, type SenderLists } from '../../features/inboxes/senders/sql.ts';
import { setSendersOp } from '../../features/inboxes/senders/writes.ts';
import { acceptWithheld } from '../../features/ingest/accept/accept.ts';
import { viewWithheld } from '../../features/messages/view.ts';
import type { WithheldMessageView } from '../../features/messages/wire.ts';
import { findWithheldAccount, listWithheld } from '../../features/messages/withheld/sql.ts';
import { fail } from '../../platform/core/failure.ts';
import { senderModes } from '../../rules/senders.ts';
import { given, type Input, inboxArgument, listed, type Operating, type StoreCommand } from './command.ts';
import { plainLine } from './plain-text.ts';
import { formatFields, formatTable } from './table.ts';

const entryArgument = {
  name: 'ENTRY',
  meaning: 'an address, a domain, or *. before a domain for all its subdomains',
  repeated: true,
} as const;
const SHOWN = 100;

interface ListsView extends SenderLists {
  inbox_id: string;
}

/** Changes the lists of the inbox that the command names. */
async function change(
  { services }: Operating,
  input: Input,
  makeLists: (lists: SenderLists) => SenderLists,
): Promise<ListsView> {
  const inbox = findInbox(services.store, given(input, 'inbox'));
  const lists = checkSenders(services, makeLists(readSenderLists(services.store, inbox.no)));
  const { account_no, id } = inbox;
  return { inbox_id: id, ...(await services.store.write(setSendersOp, { account_no, id, ...lists })) };
}

/** Reads the entries in their canonical form. A malformed one is kept, so that checkSenders names it when it refuses it. */
function readEntries(input: Input): string[] {
  return listed(input, 'entry').map((written) => {
    const read = readEntry(written, 'block');
    return 'entry' in read ? read.entry : written;
  });
}

const without = (entries: readonly string[], gone: readonly string[]) =>
  entries.filter((entry) => !gone.includes(entry));

const show: StoreCommand = {
  name: 'senders show',
  meaning: 'show who may write to an inbox',
  arguments: [inboxArgument],
  async run({ services }, input): Promise<ListsView> {
    const { id, no } = findInbox(services.store, given(input, 'inbox'));
    return { inbox_id: id, ...readSenderLists(services.store, no) };
  },
  show: showLists,
};

const mode: StoreCommand = {
  name: 'senders mode',
  meaning: 'choose who may write to an inbox: everyone who is not blocked, or only allowed senders',
  arguments: [inboxArgument, { name: 'MODE', meaning: 'who may write', choices: senderModes }],
  examples: ['postern senders mode agent@mail.example.com allowed_only'],
  run: (operating, input) =>
    change(operating, input, (lists) => ({ ...lists, mode: given(input, 'mode') as SenderLists['mode'] })),
  show: showLists,
};

const allow: StoreCommand = {
  name: 'senders allow',
  meaning: 'allow senders, if their From is authenticated; a blocked one is unblocked',
  arguments: [inboxArgument, entryArgument],
  examples: ["postern senders allow agent@mail.example.com boss@example.com '*.example.org'"],
  run: (operating, input) => {
    const entries = readEntries(input);
    return change(operating, input, ({ allow: known, block: blocked, ...lists }) => ({
      ...lists,
      allow: [...known, ...entries],
      block: without(blocked, entries),
    }));
  },
  show: showLists,
};

const block: StoreCommand = {
  name: 'senders block',
  meaning: 'withhold mail from senders; an allowed one is no longer allowed',
  arguments: [inboxArgument, entryArgument],
  run: (operating, input) => {
    const entries = readEntries(input);
    return change(operating, input, ({ allow: allowed, block: known, ...lists }) => ({
      ...lists,
      allow: without(allowed, entries),
      block: [...known, ...entries],
    }));
  },
  show: showLists,
};

const remove: StoreCommand = {
  name: 'senders remove',
  meaning: 'remove senders from both lists',
  arguments: [inboxArgument, entryArgument],
  run: (operating, input) => {
    const entries = readEntries(input);
    return change(operating, input, ({ allow: allowed, block: blocked, ...lists }) => ({
      ...lists,
      allow: without(allowed, entries),
      block: without(blocked, entries),
    }));
  },
  show: showLists,
};

const withheld: StoreCommand = {
  name: 'senders withheld',
  meaning: `list the latest ${SHOWN} messages that an inbox's lists withhold`,
  arguments: [inboxArgument],
  async run({ services }, input): Promise<WithheldMessageView[]> {
    const { no } = findInbox(services.store, given(input, 'inbox'));
    return listWithheld(services.store, no, Number.MAX_SAFE_INTEGER, SHOWN).map(viewWithheld);
  },
  show: (rows: WithheldMessageView[]) =>
    rows.length === 0
      ? 'No messages are withheld.'
      : formatTable(
          ['MESSAGE', 'ARRIVED', 'WHY', 'FROM', 'SUBJECT'],
          rows.map((row) => [
            row.id,
            row.received_at.slice(0, 19),
            row.withheld,
            plainLine(row.from),
            plainLine(row.subject),
          ]),
        ),
};

const accept: StoreCommand = {
  name: 'senders accept',
  meaning: 'deliver a withheld message, as if it had just arrived',
  arguments: [{ name: 'MESSAGE', meaning: 'the id from senders withheld' }],
  async run({ services }, input): Promise<{ id: string }> {
    const id = given(input, 'message');
    const accountNo =
      findWithheldAccount(services.store, id) ??
      fail('not_found', { text: `There is no withheld message ${id}.` });
    await acceptWithheld(services, accountNo, id);
    return { id };
  },
  show: ({ id }: { id: string }) => `Accepted ${id}.`,
};

function showLists({ inbox_id, mode: who, allow: allowed, block: blocked }: ListsView): string {
  return formatFields([
    ['inbox', inbox_id],
    ['mode', who],
    ['allow', allowed.join(', ') || '-'],
    ['block', blocked.join(', ') || '-'],
  ]);
}

export const senderCommands: readonly StoreCommand[] = [show, mode, allow, block, remove, withheld, accept];
