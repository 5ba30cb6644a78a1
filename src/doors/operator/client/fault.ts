/** SMTP faults of a trap (docs/testing.md, Test your mailer's retries). */
import { stages } from '../../../features/faults/stages.ts';
import type { SmtpFaultView } from '../../../features/faults/wire.ts';
import { writePlainJson } from '../../../platform/core/plain-json.ts';
import { type Flag, type Input, type LocalCommand, makeInputKey, readWholeNumber } from '../command.ts';
import { plainLine } from '../plain-text.ts';
import { formatTable } from '../table.ts';
import { makeRemote } from './remote.ts';

const PATH = '/api/v1/smtp_faults';

const answers: Flag[] = [
  { name: 'reply', value: 'TEXT', meaning: 'the reply, such as "450 4.2.1 try later"' },
  { name: 'drop', meaning: 'close the connection without a reply' },
  checkCount({ name: 'delay-ms', value: 'N', meaning: 'milliseconds to wait before the answer' }),
];

const counts: Flag[] = [
  { name: 'skip', value: 'N', meaning: 'let the first N matches pass' },
  { name: 'times', value: 'N', meaning: 'apply N times; without a limit by default' },
].map(checkCount);

const faultAdd: LocalCommand = {
  name: 'fault add',
  meaning: 'make SMTP refuse, wait or hang up, to see how a mailer reacts',
  flags: [
    { name: 'stage', value: 'S', required: true, choices: stages, meaning: 'where in the session' },
    { name: 'recipient', value: 'R', meaning: 'only for this recipient; * matches any characters' },
    { name: 'sender', value: 'S', meaning: 'only for this sender; * matches any characters' },
    ...answers,
    ...counts,
  ],
  needsOneOf: answers,
  takesSettings: 'client',
  examples: [
    'postern fault add --stage rcpt --reply "450 4.2.1 try later" --times 2',
    'postern fault add --stage dot --drop --skip 1 --times 1 --recipient "*@example.com"',
  ],
  async runHere({ input, json, loaded }) {
    const answer = await makeRemote(loaded.settings).ask(PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(makeBody(input)),
    });
    const { data } = (await answer.json()) as { data: SmtpFaultView };
    process.stdout.write(json ? `${writePlainJson(data)}\n` : `${data.id}\n`);
    return 0;
  },
};

const faultList: LocalCommand = {
  name: 'fault list',
  meaning: 'list the SMTP faults, with how often each was applied',
  takesSettings: 'client',
  async runHere({ json, loaded }) {
    const answer = await makeRemote(loaded.settings).ask(PATH);
    const { data } = (await answer.json()) as { data: SmtpFaultView[] };
    process.stdout.write(`${json ? writePlainJson(data) : show(data)}\n`);
    return 0;
  },
};

const faultClear: LocalCommand = {
  name: 'fault clear',
  meaning: 'delete one SMTP fault, or all of them',
  arguments: [{ name: 'ID', optional: true, meaning: 'the id from fault list; all of them by default' }],
  takesSettings: 'client',
  async runHere({ input, json, loaded }) {
    const remote = makeRemote(loaded.settings);
    if (input.id === undefined) await remote.ask(PATH, { method: 'DELETE' });
    else {
      await remote.ask(`${PATH}/${encodeURIComponent(input.id)}`, {
        method: 'DELETE',
        missing: `There is no fault ${input.id}. postern fault list shows them.`,
      });
    }
    if (json) process.stdout.write('{}\n');
    return 0;
  },
};

export const faultCommands = [faultAdd, faultList, faultClear];

function checkCount(flag: Flag): Flag {
  return { ...flag, check: (value) => void readWholeNumber(flag.name, value) };
}

/** Leaves out flags that are not given, so that the server's defaults apply. */
function makeBody(input: Input): Record<string, unknown> {
  const number = (flag: string) => {
    const text = input[makeInputKey(flag)];
    return text === undefined ? undefined : readWholeNumber(flag, text);
  };
  return {
    stage: input.stage,
    recipient: input.recipient,
    sender: input.sender,
    reply: input.reply,
    drop: input.drop === undefined ? undefined : true,
    delay_ms: number('delay-ms'),
    skip: number('skip'),
    times: number('times'),
  };
}

function show(faults: readonly SmtpFaultView[]): string {
  if (faults.length === 0) return 'No SMTP faults.';
  const rows = faults.map(({ id, stage, sender, recipient, skip, times, hits, ...fault }) => [
    id,
    stage,
    answerText(fault),
    plainLine(sender ?? '-'),
    plainLine(recipient ?? '-'),
    String(skip),
    String(times ?? '-'),
    String(hits),
  ]);
  return formatTable(['FAULT', 'STAGE', 'ANSWER', 'SENDER', 'RECIPIENT', 'SKIP', 'TIMES', 'HITS'], rows);
}

function answerText({ reply, drop, delay_ms }: Pick<SmtpFaultView, 'reply' | 'drop' | 'delay_ms'>): string {
  const end = drop ? 'drop' : (reply ?? '');
  return [delay_ms > 0 ? `${delay_ms} ms` : '', end].filter(Boolean).join(', then ');
}
