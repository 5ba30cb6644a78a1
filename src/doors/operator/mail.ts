/** `mail import` and `mail export`: an inbox's mail from and into files. */
import { resolve } from 'node:path';
import type { MailToImport } from '../../features/ingest/import.ts';
import { Failure } from '../../platform/core/failure.ts';
import { isId } from '../../platform/core/id.ts';
import { formatAmount } from './amount.ts';
import {
  type Flag,
  given,
  inboxArgument,
  type LocalCommand,
  listed,
  OperatorError,
  readWholeNumber,
} from './command.ts';
import { type ControlAnswer, settle } from './control.ts';
import { explainFileFault } from './file-fault.ts';
import { findSource, type MailFormat, type MailSource, mailFormats, readMails } from './mail-files.ts';
import { openTarget } from './mail-out.ts';
import { packMails } from './packed-mails.ts';
import { makeProgressLine } from './progress.ts';
import { type ImportAnswer, LISTED_ROWS, type ListedMail } from './transfer.ts';
import { type Ask, withServer } from './with-server.ts';

/** Most mails and bytes in one request. The mails of a request are parsed in parallel and committed together. */
const BATCH_MAILS = 64;
const BATCH_BYTES = 4 * 1024 ** 2;

const readSkip = (text: string) => readWholeNumber('skip', text);

const fileFormatFlag: Flag = {
  name: 'format',
  value: 'F',
  choices: mailFormats,
  meaning: 'format of the files; detected from their names and contents by default',
};

interface Imported {
  inbox: string;
  imported: number;
  bytes: number;
}

const mailImport: LocalCommand = {
  name: 'mail import',
  meaning: 'import mail from files into an inbox: eml, mbox, a Maildir, or a folder of eml files',
  arguments: [{ name: 'FILE', meaning: 'a file or folder', repeated: true }],
  flags: [
    { name: 'inbox', value: 'INBOX', required: true, meaning: "the inbox's id or address" },
    fileFormatFlag,
    { name: 'no-webhooks', meaning: "do not notify the inbox's webhook" },
    {
      name: 'skip',
      value: 'N',
      check: readSkip,
      meaning: 'skip the first N mails, which an interrupted import has stored',
    },
  ],
  examples: [
    'postern mail import old.mbox --inbox ann@mail.example.com',
    'postern mail import ~/Maildir --inbox ann@mail.example.com --no-webhooks',
  ],
  async runHere({ input, json, loaded }) {
    const inbox = given(input, 'inbox');
    const sources: MailSource[] = [];
    // All paths are checked before the first mail is imported.
    for (const path of listed(input, 'file'))
      sources.push(await findSource(resolve(path), input.format as MailFormat | undefined));
    const total = sources.reduce((sum, { bytes }) => sum + bytes, 0);
    const webhooks = input.no_webhooks === undefined;
    const skip = input.skip === undefined ? 0 : readSkip(input.skip);
    const progress = makeProgressLine('');
    const done: Imported = { inbox, imported: 0, bytes: 0 };
    const stop = watchStop();
    try {
      await withServer(loaded, async (ask) => {
        for await (const { mails, readBytes } of batchMails(sources, webhooks, skip)) {
          if (stop.isAsked()) throw new OperatorError('Interrupted.');
          await sendBatch(ask, mails, done);
          progress.show(readBytes, total, formatAmount(done.imported, 'message'));
        }
      });
    } catch (fault) {
      progress.end();
      process.stderr.write(describeRest(done.imported, skip, fault instanceof LostAnswer));
      throw fault;
    } finally {
      stop.end();
    }
    progress.end();
    process.stdout.write(
      `${json ? JSON.stringify(done) : `Imported ${formatAmount(done.imported, 'message')} into ${inbox}.`}\n`,
    );
    return 0;
  },
};

interface Batch {
  mails: MailToImport[];
  /** Bytes read from the sources so far, for the progress line. */
  readBytes: number;
}

async function* batchMails(
  sources: readonly MailSource[],
  webhooks: boolean,
  skip: number,
): AsyncGenerator<Batch> {
  let mails: MailToImport[] = [];
  let [count, bytes, readBytes] = [0, 0, 0];
  for (const source of sources) {
    for await (const { raw, sender, read } of readMails(source)) {
      readBytes += raw.length;
      if (count++ < skip) continue;
      if (mails.length === BATCH_MAILS || (mails.length > 0 && bytes + raw.length > BATCH_BYTES)) {
        yield { mails, readBytes: readBytes - raw.length };
        [mails, bytes] = [[], 0];
      }
      mails.push({ raw, read, webhooks, envelope_from: sender });
      bytes += raw.length;
    }
  }
  if (mails.length > 0) yield { mails, readBytes };
}

/** The server ended before it answered how many mails of the request it had stored. */
class LostAnswer extends OperatorError {
  override name = 'LostAnswer';
}

/** Sends a batch, and counts the mails that were stored, even if the batch fails. */
async function sendBatch(ask: Ask, mails: readonly MailToImport[], done: Imported): Promise<void> {
  const answer = await ask(`/import?inbox=${encodeURIComponent(done.inbox)}`, packMails(mails)).catch(
    (fault) => {
      if (fault instanceof OperatorError) throw fault;
      throw new LostAnswer(`The server ended during the import: ${(fault as Error).message}`);
    },
  );
  if (!isJson(answer)) throw makeOldServerError();
  const said = (await answer.json()) as ImportAnswer;
  const stored = 'output' in said ? mails : mails.slice(0, said.imported ?? 0);
  done.imported += stored.length;
  done.bytes += stored.reduce((sum, { raw }) => sum + raw.length, 0);
  settle(said);
}

/** Explains how to continue an import that ended early; empty when it has stored nothing. */
function describeRest(imported: number, skip: number, isLost: boolean): string {
  const before = `Imported before this error: ${isLost ? 'at least ' : ''}${formatAmount(imported, 'message')}.`;
  if (isLost) {
    return (
      `${before} Up to ${BATCH_MAILS} more may be in the inbox. To continue without duplicates, find its newest message in ` +
      'the files, and repeat the command with --skip N, the number of mails up to that one.\n'
    );
  }
  if (imported === 0) return '';
  return `${before} To continue without duplicates, repeat the command with --skip ${skip + imported}.\n`;
}

/** The first signal lets the current batch finish, so that its mails are counted; the second ends the process. */
function watchStop(): { isAsked(): boolean; end(): void } {
  let isAsked = false;
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const ask = () => {
    if (isAsked) process.exit(1);
    isAsked = true;
  };
  for (const signal of signals) process.on(signal, ask);
  return {
    isAsked: () => isAsked,
    end() {
      for (const signal of signals) process.off(signal, ask);
    },
  };
}

const mailExport: LocalCommand = {
  name: 'mail export',
  meaning: "export an inbox's mail into files, byte for byte as received",
  arguments: [inboxArgument],
  flags: [
    { name: 'out', value: 'FILE', required: true, meaning: 'a file that ends with .mbox, or a folder' },
    {
      ...fileFormatFlag,
      meaning: 'mbox for a file that ends with .mbox, otherwise eml: one file per mail in the folder',
    },
  ],
  examples: [
    'postern mail export ann@mail.example.com --out ann.mbox',
    'postern mail export ann@mail.example.com --out ~/Maildir --format maildir',
  ],
  async runHere({ input, json, loaded }) {
    const inbox = given(input, 'inbox');
    const out = resolve(given(input, 'out'));
    const progress = makeProgressLine('');
    const done = { inbox, out, format: '', exported: 0, there_already: 0, damaged: 0 };
    await withServer(loaded, async (ask) => {
      let page = await fetchPage(ask, inbox, 0);
      const target = openTarget(out, input.format as MailFormat | undefined);
      done.format = target.format;
      try {
        for (; page.length > 0; page = await fetchPage(ask, inbox, page.at(-1)!.received_at)) {
          for (const mail of page) {
            const raw = await fetchRaw(ask, inbox, mail);
            if (raw === 'erased') continue;
            if (raw instanceof Error) {
              progress.end();
              process.stderr.write(`Message ${mail.id} is left out: ${raw.message}\n`);
              done.damaged += 1;
              continue;
            }
            done[target.put(mail, raw) ? 'exported' : 'there_already'] += 1;
            progress.show(done.exported + done.there_already, 0, 'messages');
          }
          if (page.length < LISTED_ROWS) break;
        }
        target.done();
      } catch (fault) {
        target.giveUp();
        // A failed write says neither where nor what to do.
        const text = explainFileFault({ path: out, ...(fault as Error) });
        throw text === null ? fault : new OperatorError(text);
      } finally {
        progress.end();
      }
    });
    const there = done.there_already > 0 ? `; ${done.there_already} already existed` : '';
    const lost = done.damaged > 0 ? `; ${done.damaged} could not be read` : '';
    process.stdout.write(
      `${json ? JSON.stringify(done) : `Exported ${formatAmount(done.exported, 'message')} to ${out}${there}${lost}.`}\n`,
    );
    return done.damaged > 0 ? 1 : 0;
  },
};

async function fetchPage(ask: Ask, inbox: string, after: number): Promise<ListedMail[]> {
  const answer = await ask(`/list?inbox=${encodeURIComponent(inbox)}&after=${after}`);
  const listed = (await readAnswer(answer)) as ListedMail[];
  // Ids and times become file names, and the server may have fewer rights than this process.
  for (const { id, received_at } of listed) {
    if (!isId('message', id) || !Number.isSafeInteger(received_at))
      throw new OperatorError('The running server listed a message without a valid id or time.');
  }
  return listed;
}

/** Returns a mail's bytes, or why there are none: it has been erased meanwhile, or the store is damaged. */
async function fetchRaw(ask: Ask, inbox: string, { id }: ListedMail): Promise<Uint8Array | 'erased' | Error> {
  const answer = await ask(`/raw?inbox=${encodeURIComponent(inbox)}&id=${id}`);
  if (answer.ok) return answer.bytes();
  try {
    await readAnswer(answer);
    return 'erased';
  } catch (thrown) {
    return thrown instanceof Failure && thrown.code === 'not_found' ? 'erased' : (thrown as Error);
  }
}

async function readAnswer(answer: Response): Promise<unknown> {
  if (isJson(answer)) return settle((await answer.json()) as ControlAnswer).output;
  throw makeOldServerError();
}

function isJson(answer: Response): boolean {
  return answer.headers.get('content-type')?.startsWith('application/json') === true;
}

function makeOldServerError(): OperatorError {
  return new OperatorError('The running server does not know this command. Is it an older version?');
}

export const mailCommands: readonly LocalCommand[] = [mailImport, mailExport];
