/** Matchers for the `expect.extend` of Vitest, Jest and compatible runners. */
import { WaitTimeoutError } from '../errors.js';
import type { WaitForMessageOptions } from '../mailbox.js';
import type { MatchOptions, Requirement, WaitOptions } from '../wait.js';
import type { Message } from '../wire.js';

export interface ReceiveOptions extends MatchOptions {
  /** How long to wait: 4 seconds by default, or 1 second after `.not`, which always waits the whole time. */
  timeoutMs?: number;
  /** Only messages after this. By default all messages of the inbox. */
  since?: WaitOptions['since'];
}

/** The matchers for `expect(inbox)`. They claim nothing, so `inbox.waitForCode()` still gets the message. */
export interface PosternMatchers<Result = Promise<void>> {
  /** Passes when there is a message, or one arrives, read or unread. */
  toReceiveMail(options?: ReceiveOptions): Result;
  /** A message with a one-time code. */
  toReceiveCode(options?: ReceiveOptions): Result;
  /** A message with a link to sign in or confirm. */
  toReceiveLink(options?: ReceiveOptions): Result;
}

/** Less than the 5 seconds that a test has in Vitest and Jest, so that it fails with our reason. */
const TIMEOUT_MS_STANDARD = 4_000;
/** Short, because a trap has a message within milliseconds, and a test waits all of this. */
const NOT_TIMEOUT_MS_STANDARD = 1_000;

interface Receiver {
  address?: string;
  waitForMessage(options: WaitForMessageOptions): Promise<Message>;
}

interface Verdict {
  pass: boolean;
  message(): string;
}

type Matcher = (this: { isNot?: boolean }, received: unknown, options?: ReceiveOptions) => Promise<Verdict>;

export const matchers: Record<keyof PosternMatchers, Matcher> = {
  toReceiveMail(received, options) {
    return judge(received, 'message', 'mail', this.isNot, options);
  },
  toReceiveCode(received, options) {
    return judge(received, 'otp', 'code', this.isNot, options);
  },
  toReceiveLink(received, options) {
    return judge(received, 'link', 'link', this.isNot, options);
  },
};

async function judge(
  received: unknown,
  require: Requirement,
  what: string,
  isNot = false,
  options: ReceiveOptions = {},
): Promise<Verdict> {
  if (!isReceiver(received)) throw new TypeError('expect() needs an inbox, as inboxes.create() returns it.');
  const who = received.address ?? 'the inbox';
  const timeoutMs = options.timeoutMs ?? (isNot ? NOT_TIMEOUT_MS_STANDARD : TIMEOUT_MS_STANDARD);
  // From the beginning: 0 would leave out messages that the test has already read.
  const since = options.since ?? new Date(0);
  try {
    const wait = { ...options, require, timeoutMs, since, claim: false };
    const { subject, from } = await received.waitForMessage(wait);
    return {
      pass: true,
      message: () => `Expected ${who} to receive no ${what}, but "${subject}" came from ${from}.`,
    };
  } catch (fault) {
    if (!(fault instanceof WaitTimeoutError)) throw fault;
    return { pass: false, message: () => `Expected ${who} to receive a ${what}. ${fault.message}` };
  }
}

function isReceiver(received: unknown): received is Receiver {
  return typeof (received as Partial<Receiver> | null)?.waitForMessage === 'function';
}
