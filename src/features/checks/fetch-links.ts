import { countSecondsUntil, SECOND_US } from '../../platform/core/clock.ts';
import { fail } from '../../platform/core/failure.ts';
import { Windows } from '../../platform/core/window.ts';
import type { JudgedLink } from '../../platform/mail/checks/findings.ts';
import { get, head, type PostOutcome } from '../../platform/net/post.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { linkProblems } from '../../rules/checks.ts';
import type { ChecksView, FetchReason } from './wire.ts';

/*
 * Requests the links of a mail, on demand. Strangers chose them, so requests go only through the guard
 * (platform/net/guard.ts), without cookies or a referrer, and never to a link that could sign in, confirm or
 * unsubscribe.
 */

/** Links requested for one mail. Stops a mail from making this server flood another one. */
const REQUESTED_MAX = 20;
const AT_ONCE = 4;
/** Time for one request, and for all requests of a mail. */
const ONE_MS = 5_000;
const ALL_MS = 15_000;
/** Mails, of all accounts, whose links are being requested at the same time. */
const RUNS_MAX = 8;
const RETRY_S = 5;
const LOCATION_CHARS_MAX = 2_000;

type CheckedLink = ChecksView['links'][number];
type Fetched = NonNullable<CheckedLink['fetched']>;

export interface LinkServices extends PlatformServices {
  readonly linkRequests: LinkRequests;
}

/** Bounds the requests of links: how many mails are being checked now, and how many links were requested lately. */
export class LinkRequests {
  private readonly windows = new Windows();
  private readonly running = new Set<number>();

  /**
   * Takes `count` requests for an account, or throws rate_limited. Returns the function to call when they have ended.
   */
  take({ clock, limits, settings }: PlatformServices, accountNo: number, count: number): () => void {
    if (this.running.has(accountNo) || this.running.size >= RUNS_MAX)
      fail('rate_limited', { retryAfterS: RETRY_S });
    if (settings.limits) {
      const { max, windowS } = limits.link_requests_per_hour;
      const nowUs = clock.nowUs();
      const name = String(accountNo);
      const bucket = this.windows.look(name, max, windowS, nowUs);
      if (bucket.remaining < count)
        fail('rate_limited', { retryAfterS: countSecondsUntil(bucket.resetS * SECOND_US, nowUs) });
      this.windows.take(name, windowS, nowUs, count);
    }
    this.running.add(accountNo);
    return () => this.running.delete(accountNo);
  }
}

/**
 * Requests those links that may be requested. Returns all links, each with the answer or the reason why there is none.
 */
export async function fetchLinks(
  services: LinkServices,
  accountNo: number,
  links: readonly JudgedLink[],
  signal: AbortSignal,
): Promise<CheckedLink[]> {
  const asked = links.filter(({ skipReason }) => skipReason === null).slice(0, REQUESTED_MAX);
  const end = services.linkRequests.take(services, accountNo, asked.length);
  const stop = AbortSignal.any([signal, AbortSignal.timeout(ALL_MS)]);
  const outcomes = new Map<JudgedLink, Fetched>();
  const waiting = [...asked];
  try {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let link = waiting.shift(); link; link = waiting.shift())
          outcomes.set(link, stop.aborted ? explain('too_late') : await request(services, link.url, stop));
      }),
    );
  } finally {
    end();
  }
  return links.map((link) => {
    const fetched = outcomes.get(link) ?? explain(link.skipReason ?? 'too_many');
    const { url, text, problem } = link;
    return { url, text, problem: problem ?? judgeAnswer(fetched), fetched };
  });
}

/** Tries HEAD, which costs the other server least, then GET if HEAD gets an error. */
async function request(services: PlatformServices, url: string, signal: AbortSignal): Promise<Fetched> {
  const options = {
    url,
    headers: { 'user-agent': 'Postern link check', accept: '*/*' },
    allow: services.settings.webhook_allow_networks ?? [],
    resolver: services.outside.resolver,
    extraCa: services.outside.extraCa,
    timeouts: { connectMs: ONE_MS, totalMs: ONE_MS },
    signal,
  };
  const first = await head(options);
  const isRefused = first.kind === 'answered' && first.status >= 400;
  return describe(isRefused ? await get({ ...options, keptBytesMax: 0 }) : first, signal);
}

function describe(outcome: PostOutcome, signal: AbortSignal): Fetched {
  if (outcome.kind === 'refused') return explain('refused');
  if (outcome.kind === 'unreachable') return explain(signal.aborted ? 'too_late' : 'unreachable');
  const { status, location } = outcome;
  const isRedirect = status >= 300 && status < 400;
  const target = isRedirect ? (location?.slice(0, LOCATION_CHARS_MAX).toWellFormed() ?? null) : null;
  return { status, location: target, reason: null };
}

function explain(reason: FetchReason): Fetched {
  return { status: null, location: null, reason };
}

/** A page that wants a sign-in (401, 403), takes no GET (405) or is busy (429) exists, so its link is not broken. */
function judgeAnswer({ status, reason }: Fetched): CheckedLink['problem'] {
  if (reason === 'unreachable') return linkProblems.unreachable;
  const isBroken = status !== null && status >= 400 && ![401, 403, 405, 429].includes(status);
  return isBroken ? linkProblems.broken : null;
}
