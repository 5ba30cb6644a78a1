import type { viewMessage } from '../../../features/messages/view.ts';
import { writePlainJson } from '../../../platform/core/plain-json.ts';
import { type Flag, given, type LocalCommand, UsageError } from '../command.ts';
import { TIMED_OUT } from '../exit-status.ts';
import { plainLine, plainLink, plainText } from '../plain-text.ts';
import { BUSY, makeRemote, type Remote, Unreachable } from './remote.ts';

type WaitedMessage = ReturnType<typeof viewMessage>;

/** The longest wait that the server accepts in one request (docs/api-v1.md, Wait). */
const ONE_WAIT_S_MAX = 25;
const TIMEOUT_S_DEFAULT = 60;
/** Pause before the next request to a server that has no free slot or is restarting. */
const TRY_AGAIN_MS = 500;

const wanted = ['code', 'link', 'message'] as const;
const requirements = { code: 'otp', link: 'link', message: 'message' } as const;

const flags: Flag[] = [
  { name: 'code', meaning: 'wait for a code, and print it' },
  { name: 'link', meaning: 'wait for a sign-in link, and print it' },
  { name: 'message', meaning: 'wait for any message, and print its headers and text' },
  {
    name: 'timeout',
    value: 'SECONDS',
    check: readTimeout,
    meaning: `how long to wait; ${TIMEOUT_S_DEFAULT} by default`,
  },
  {
    name: 'since',
    value: 'S',
    meaning:
      'only messages after this time or message id; by default, also unread ones that have already arrived',
  },
  { name: 'from', value: 'X', meaning: 'only messages whose From contains this' },
  {
    name: 'subject',
    value: 'X',
    field: 'subject_contains',
    meaning: 'only messages whose subject contains this',
  },
  { name: 'mark-read', meaning: 'mark the message as read, so that no other wait gets it' },
];

export const wait: LocalCommand = {
  name: 'wait',
  meaning: 'wait for the next message at an address and print its code or link',
  arguments: [{ name: 'ADDRESS', meaning: 'the address, or the id of an inbox' }],
  flags,
  takesSettings: 'client',
  exits: { [TIMED_OUT]: 'no matching message arrived in time' },
  examples: [
    'postern wait ann@example.com --code',
    'postern wait ann@example.com --link --timeout 10 --subject "Sign in"',
    'postern wait ann@example.com --message --json',
  ],
  async runHere({ input, json, loaded }) {
    const asked = wanted.filter((name) => input[name] !== undefined);
    if (asked.length > 1) throw new UsageError("--code, --link and --message can't be used together");
    const timeoutS = input.timeout === undefined ? TIMEOUT_S_DEFAULT : readTimeout(input.timeout);
    const query = new URLSearchParams({
      require: asked[0] ? requirements[asked[0]] : 'any',
      since: input.since ?? '0',
      ...(input.from !== undefined && { from: input.from }),
      ...(input.subject !== undefined && { subject_contains: input.subject }),
      ...(input.mark_read !== undefined && { mark_read: 'true' }),
    });
    const end = await waitUntil(makeRemote(loaded.settings), given(input, 'address'), query, timeoutS);
    if (end.message === null) {
      process.stderr.write(`${end.why} (waited ${timeoutS} s).\n`);
      return TIMED_OUT;
    }
    process.stdout.write(`${json ? writePlainJson(end.message) : show(end.message, asked[0])}\n`);
    return 0;
  },
};

function readTimeout(text: string): number {
  const seconds = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || seconds > 86_400) {
    throw new UsageError('--timeout must be a number of seconds, at most 86400');
  }
  return seconds;
}

type End = { message: WaitedMessage } | { message: null; why: string };

/**
 * Repeats the request until there is a message or the time has run out. `since` stays the same, so that no message
 * between two requests is missed.
 */
async function waitUntil(
  remote: Remote,
  inbox: string,
  query: URLSearchParams,
  timeoutS: number,
): Promise<End> {
  const path = `/api/v1/inboxes/${encodeURIComponent(inbox)}/messages/wait`;
  const missing = `${remote.url} has no inbox ${inbox} for this key. Use its address or its id.`;
  const endsMs = performance.now() + timeoutS * 1000;
  let why = 'No message came';
  for (let isFirst = true; ; isFirst = false) {
    const leftS = (endsMs - performance.now()) / 1000;
    if (leftS <= 0 && !isFirst) return { message: null, why };
    query.set('timeout', String(Math.min(ONE_WAIT_S_MAX, Math.max(1, leftS))));
    const pauseMs = Math.min(TRY_AGAIN_MS, Math.max(0, leftS * 1000));
    try {
      const signal = AbortSignal.timeout(Math.max(1000, leftS * 1000 + 2000));
      const answer = await remote.ask(`${path}?${query}`, { signal, allowed: [204, ...BUSY], missing });
      if (answer.status === 200) return { message: ((await answer.json()) as { data: WaitedMessage }).data };
      if (answer.status === 204) why = explainNoMatch(answer.headers);
      else {
        why =
          answer.status === 429
            ? 'The server has no free wait (429)'
            : `The server is not ready (${answer.status})`;
        await Bun.sleep(pauseMs);
      }
    } catch (fault) {
      // A server that never answered means a wrong address; one that stopped answering may be restarting.
      if (isFirst || !(fault instanceof Unreachable)) throw fault;
      why = fault.message;
      await Bun.sleep(pauseMs);
    }
  }
}

const mismatchTexts: Record<string, string> = {
  no_code: 'none has a code',
  low_confidence: 'none has a code that is certain enough',
  unauthenticated: 'the sender of none is proven',
  no_link: 'none has a link',
  other_sender: 'none is from that sender',
  other_subject: 'none has that subject',
  taken: 'another wait claimed them',
};

/** Explains a wait's 204 from its headers (docs/api-v1.md, Wait). */
function explainNoMatch(headers: Headers): string {
  const arrived = Number(headers.get('x-wait-arrived') ?? 0);
  if (arrived === 0) return 'No message came';
  const reason = mismatchTexts[headers.get('x-wait-reason') ?? ''];
  return `No match: ${arrived} ${arrived === 1 ? 'message' : 'messages'} came${reason ? `, ${reason}` : ''}`;
}

function show(message: WaitedMessage, asked: (typeof wanted)[number] | undefined): string {
  const link = plainLink(message.magic_link ?? '');
  if (asked === 'code') return message.otp ?? '';
  if (asked === 'link') return link;
  if (asked === undefined) return message.otp ?? link;
  return [
    `From: ${plainLine(message.from)}`,
    `To: ${plainLine(message.envelope_recipient)}`,
    `Subject: ${plainLine(message.subject)}`,
    '',
    plainText(message.text).trimEnd(),
  ].join('\n');
}
