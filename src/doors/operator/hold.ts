import { findAccount } from '../../features/accounts/find.ts';
import { findAccountByNo } from '../../features/accounts/sql.ts';
import { findInbox } from '../../features/inboxes/find.ts';
import { approveHeld } from '../../features/outbound/hold/decide.ts';
import { findEmailAccount } from '../../features/outbound/hold/sql.ts';
import { rejectHeldOp, setHoldOp } from '../../features/outbound/hold/writes.ts';
import { listEmails } from '../../features/outbound/sql.ts';
import { readEmailView, viewEmail } from '../../features/outbound/view.ts';
import type { EmailView } from '../../features/outbound/wire.ts';
import { fail } from '../../platform/core/failure.ts';
import type { Reading } from '../../platform/store/operation.ts';
import { accountArgument } from './account.ts';
import { given, onOff, type StoreCommand } from './command.ts';
import { plainLine } from './plain-text.ts';
import { formatTable } from './table.ts';

const emailArgument = { name: 'EMAIL_ID', meaning: 'the id from hold list' };
const SHOWN = 200;

const list: StoreCommand = {
  name: 'hold list',
  meaning: `list the latest ${SHOWN} of an account's emails that wait for an owner's approval, newest first`,
  arguments: [accountArgument],
  async run({ services: { store } }, input): Promise<EmailView[]> {
    const { no } = findAccount(store, given(input, 'a'));
    return listEmails(store, no, 'held', Number.MAX_SAFE_INTEGER, SHOWN).map((email) =>
      readEmailView(store, email),
    );
  },
  show: (emails: EmailView[]) =>
    emails.length === 0
      ? 'No emails are held.'
      : formatTable(
          ['EMAIL', 'UNTIL', 'ASKED BY', 'TO', 'SUBJECT'],
          emails.map(({ id, held, recipients, subject }) => [
            id,
            held?.until.slice(0, 16) ?? '',
            held?.by ?? '',
            plainLine(recipients.map(({ email }) => email).join(', ')),
            plainLine(subject),
          ]),
        ),
};

interface HoldView {
  account_id: string;
  inbox_id: string | null;
  hold: boolean;
}

const set: StoreCommand = {
  name: 'hold set',
  meaning: "hold the emails of an account's members until an owner approves them, or stop doing so",
  arguments: [accountArgument, { name: 'STATE', meaning: 'whether to hold them', choices: onOff }],
  flags: [{ name: 'inbox', value: 'INBOX', meaning: "only emails from this inbox's address" }],
  examples: ['postern hold set ann@example.com on'],
  async run({ services }, input): Promise<HoldView> {
    const account = findAccount(services.store, given(input, 'a'));
    const inbox = input.inbox === undefined ? null : findInbox(services.store, input.inbox);
    const hold = given(input, 'state') === 'on';
    const wanted = { account_no: account.no, inbox: inbox?.id ?? null, on: hold };
    await services.store.write(setHoldOp, wanted);
    return { account_id: account.id, inbox_id: inbox?.id ?? null, hold };
  },
  show: ({ inbox_id, hold }: HoldView) =>
    `The hold on emails from ${inbox_id ?? "the account's members"} is ${hold ? 'on' : 'off'}.`,
};

const approve: StoreCommand = {
  name: 'hold approve',
  meaning: 'send a held email',
  arguments: [emailArgument],
  async run({ services }, input): Promise<EmailView> {
    const id = given(input, 'email_id');
    return viewEmail(await approveHeld(services, requireEmailAccount(services.store, id), id));
  },
  show: ({ id }: EmailView) => `Approved ${id}; it is queued for sending.`,
};

const reject: StoreCommand = {
  name: 'hold reject',
  meaning: 'reject a held email, so that nobody gets it',
  arguments: [emailArgument],
  flags: [{ name: 'reason', value: 'TEXT', meaning: 'what the member reads in last_error' }],
  async run({ services }, input): Promise<EmailView> {
    const id = given(input, 'email_id');
    const { no } = requireEmailAccount(services.store, id);
    const wanted = { account_no: no, id, reason: input.reason ? plainLine(input.reason) : null };
    return viewEmail(await services.store.write(rejectHeldOp, wanted));
  },
  show: ({ id }: EmailView) => `Rejected ${id}.`,
};

/** Finds the account that sends an email. Fails if there is no such email. */
function requireEmailAccount(reading: Reading, id: string) {
  const accountNo = findEmailAccount(reading, id);
  const account = accountNo === null ? null : findAccountByNo(reading, accountNo);
  return account ?? fail('not_found', { text: `There is no email ${id}.` });
}

export const holdCommands: readonly StoreCommand[] = [list, set, approve, reject];
