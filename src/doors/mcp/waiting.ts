import { z } from 'zod';
import type { MessageSummaryView, MessageView } from '../../features/messages/wire.ts';
import { formatInboxPath } from './paths.ts';
import { showMessage, showRow, UNTRUSTED_NOTE } from './shown.ts';
import { askFor, defineTool, ServerGone, type Tool, type ToolCall, type ToolResult } from './tool.ts';

const TIMEOUT_S = { min: 1, standard: 30, max: 300 };
/** The server allows a wait of 25 seconds (docs/api-v1.md, Wait). Shorter ones let us report progress in between. */
const STEP_S = 10;
/** Pause before the next try while the server restarts. */
const RETRY_MS = 300;
const ARRIVED_SHOWN_MAX = 5;
const ALL_READ =
  'Nothing new arrived, and the wait ignores emails that were read before. To read one again, call list_messages, then ' +
  'get_message.';

const waiting = {
  inbox: z.string().optional().describe('Id or address of the inbox. If omitted, any inbox of the account.'),
  timeout: z
    .number()
    .min(TIMEOUT_S.min)
    .max(TIMEOUT_S.max)
    .default(TIMEOUT_S.standard)
    .describe('Seconds to wait. Many clients give up on a tool after 60 seconds.'),
  // Models write the 0 as a number, and times too.
  since: z.coerce
    .string()
    .default('0')
    .describe(
      '"0" also returns an unread email that arrived before the call. Otherwise an ISO 8601 or Unix time, or a message ' +
        'id: returns only emails after it.',
    ),
  from: z
    .string()
    .optional()
    .describe('Only emails whose From header contains this text, for example "github.com".'),
  subject_contains: z.string().optional().describe('Only emails whose subject contains this text.'),
  mark_read: z
    .boolean()
    .default(true)
    .describe('true marks the email as read, so that the next wait returns the next one.'),
};

const WaitArgs = z.strictObject(waiting);
type WaitCall = ToolCall<z.output<typeof WaitArgs> & { min_confidence?: number }>;

const AFTER =
  'Returns as soon as the email arrives, or immediately if it arrived before the call and is unread. If none arrives in ' +
  'time, `found` is false and `arrived_instead` lists other emails; to keep waiting, call again with `since` set to ' +
  '`go_on_with_since`.';

export const waitTools: readonly Tool[] = [
  defineTool({
    name: 'wait_for_code',
    title: 'Wait for a one-time code',
    description: `Waits for an email with a one-time code (sign-in, verification, 2FA) and returns the code. Call it after you made a site send one. ${AFTER}`,
    args: z.strictObject({
      ...waiting,
      min_confidence: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .describe('Ignores codes with a lower confidence. Reported codes have 0.6 to 1.'),
    }),
    run: (call) =>
      waitFor(call, 'otp', ({ otp, otp_confidence, otp_context }) => ({
        code: otp,
        code_confidence: otp_confidence,
        untrusted_context: otp_context,
      })),
  }),
  defineTool({
    name: 'wait_for_link',
    title: 'Wait for a sign-in or confirmation link',
    description: `Waits for an email with a magic link (sign in, confirm an address, reset a password, accept an invitation) and returns the link. ${AFTER}`,
    args: WaitArgs,
    run: (call) => waitFor(call, 'link', ({ magic_link }) => ({ link: magic_link })),
  }),
  defineTool({
    name: 'wait_for_message',
    title: 'Wait for any email',
    description: `Waits for any email and returns its text. If you need only a code or a link, use wait_for_code or wait_for_link instead. ${AFTER}`,
    args: WaitArgs,
    run: (call) => waitFor(call, 'message', () => ({})),
  }),
];

async function waitFor(
  call: WaitCall,
  require: 'otp' | 'link' | 'message',
  pick: (message: MessageView) => Record<string, unknown>,
): Promise<ToolResult> {
  const { args } = call;
  const beganMs = performance.now();
  const beganAt = Date.now();
  const seen: Seen = { since: args.since, why: new Set(), isReached: false };
  let nextReportS = 0;
  for (;;) {
    call.signal.throwIfAborted();
    const elapsedS = (performance.now() - beganMs) / 1000;
    const leftS = args.timeout - elapsedS;
    if (leftS <= 0) return reportTimeout(call, seen, beganAt);
    if (elapsedS >= nextReportS) {
      await call.report(elapsedS, args.timeout);
      nextReportS = elapsedS + STEP_S / 2;
    }
    const message = await waitOnce(call, require, seen, Math.max(1, Math.min(STEP_S, leftS)));
    if (!message) continue;
    const shown = showMessage(message, false);
    const { id, inbox_id, received_at, untrusted } = shown;
    const { to, from, subject } = untrusted;
    const row = { id, inbox_id, received_at, untrusted: { to, from, subject } };
    const json = {
      found: true,
      ...pick(message),
      message: require === 'message' ? shown : row,
      note: UNTRUSTED_NOTE,
    };
    return { json };
  }
}

interface Seen {
  /** Where the next request continues. */
  since: string;
  /** Why arrived emails did not match. */
  why: Set<string>;
  /** Whether the server has answered once, so that it is worth trying again after a lost connection. */
  isReached: boolean;
}

async function waitOnce(
  call: WaitCall,
  require: string,
  seen: Seen,
  timeoutS: number,
): Promise<MessageView | null> {
  const { inbox, from, subject_contains, min_confidence, mark_read } = call.args;
  const condition = { require, from, subject_contains, min_confidence, mark_read };
  try {
    const answer = await askFor(call, {
      path: `${formatInboxPath(inbox)}/messages/wait`,
      query: { ...condition, since: seen.since, timeout: timeoutS },
    });
    seen.isReached = true;
    seen.since = answer.headers.get('x-wait-since') ?? seen.since;
    if (answer.status !== 204) return ((await answer.json()) as { data: MessageView }).data;
    const why = answer.headers.get('x-wait-reason');
    if (why) seen.why.add(why);
  } catch (fault) {
    if (!(fault instanceof ServerGone) || !seen.isReached || call.signal.aborted) throw fault;
    await Bun.sleep(RETRY_MS);
  }
  return null;
}

/** Returns the result of a wait that timed out. That is no error: the model decides what to do next. */
async function reportTimeout(call: WaitCall, seen: Seen, beganAt: number): Promise<ToolResult> {
  const { inbox, timeout } = call.args;
  const answer = await askFor(call, {
    path: `${formatInboxPath(inbox)}/messages`,
    query: { limit: ARRIVED_SHOWN_MAX },
  });
  const { data } = (await answer.json()) as { data: MessageSummaryView[] };
  const arrived = data.filter(({ received_at, read }) => !read || Date.parse(received_at) >= beganAt);
  const json = {
    found: false,
    waited_s: timeout,
    ...(seen.why.size > 0 && { why_not: [...seen.why] }),
    arrived_instead: arrived.map(showRow),
    // In a mail with a code and a link, the wait for the code marks it as read, so a wait for the link ignores it.
    ...(arrived.length === 0 && data.length > 0 && { hint: ALL_READ }),
    go_on_with_since: seen.since,
    note: UNTRUSTED_NOTE,
  };
  return { json };
}
