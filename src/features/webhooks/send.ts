import { isoTime } from '../../platform/core/clock.ts';
import { newId } from '../../platform/core/id.ts';
import { type PostOptions, type PostOutcome, post } from '../../platform/net/post.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { computeRetryDelay, judgeStatus, readRetryAfter } from './backoff.ts';
import { type EventBody, formatDeletedError, readEventBody } from './body.ts';
import { makeSampleMessage } from './sample.ts';
import { listSigningSecrets } from './secret.ts';
import { makeEventHeaders } from './signature.ts';
import type { DueDelivery, Webhook } from './sql.ts';
import type { AttemptResult } from './writes.ts';

const TEST = 'webhook.test';
const USER_AGENT = 'Postern-Webhook/1';
/** An error is one line of the delivery history. */
const ERROR_CHARS_MAX = 500;

/** The result of an attempt, and how long the receiver asked us to wait. */
export type DeliveryAttempt = AttemptResult & { retryAfterUs: number };

/** Makes one delivery attempt and returns the result to store. Never rejects because of the receiver. */
export async function attemptDelivery(
  services: PlatformServices,
  hook: Webhook,
  delivery: DueDelivery,
  how: Pick<PostOptions, 'signal' | 'kept'>,
): Promise<DeliveryAttempt> {
  const at = services.clock.nowUs();
  const common = pickCommon(hook, delivery);
  const event = readEventBody(services, delivery);
  if (!event) {
    const attempt = { at, response_status: null, error: formatDeletedError(delivery.kind), duration_ms: 0 };
    return { ...common, attempt, answer: null, outcome: 'no_message', due_at: null, retryAfterUs: 0 };
  }
  const outcome = await send(services, hook, event, how);
  return { ...common, ...judgeOutcome(outcome, at, services.clock.nowUs(), delivery.tries + 1) };
}

/** An attempt that failed on our side before anything was sent, such as for a mail that the disk has damaged. */
export function makeFaultyAttempt(
  hook: Webhook,
  delivery: DueDelivery,
  at: number,
  nowUs: number,
): DeliveryAttempt {
  const outcome: PostOutcome = { kind: 'unreachable', reasons: ['internal_error'], durationMs: 0 };
  const judged = judgeOutcome(outcome, at, nowUs, delivery.tries + 1);
  return { ...pickCommon(hook, delivery), ...judged, isOwnFault: true };
}

/** Returns what was tried, from when the attempt began: the owner may have changed the webhook since. */
function pickCommon(
  { no: webhookNo, account_no, url }: Webhook,
  { no, due_at }: DueDelivery,
): Pick<AttemptResult, 'deliveryNo' | 'webhook_no' | 'account_no' | 'url' | 'wasDueAt'> {
  return { deliveryNo: no, webhook_no: webhookNo, account_no, url, wasDueAt: due_at };
}

/** Returns what an outcome means for its delivery. `tries` is the number of this attempt, from 1. */
function judgeOutcome(
  outcome: PostOutcome,
  at: number,
  nowUs: number,
  tries: number,
): Pick<AttemptResult, 'attempt' | 'answer' | 'outcome' | 'due_at'> & { retryAfterUs: number } {
  if (outcome.kind === 'refused') {
    const attempt = { at, response_status: null, error: 'webhook_ssrf_rejected', duration_ms: 0 };
    return { attempt, answer: null, outcome: 'failed', due_at: null, retryAfterUs: 0 };
  }
  const isAnswered = outcome.kind === 'answered';
  const durationMs = Math.round(outcome.durationMs);
  const attempt = isAnswered
    ? { at, response_status: outcome.status, error: null, duration_ms: durationMs }
    : {
        at,
        response_status: null,
        error: outcome.reasons.join('; ').slice(0, ERROR_CHARS_MAX),
        duration_ms: durationMs,
      };
  const means = isAnswered ? judgeStatus(outcome.status) : 'retry';
  const answer = isAnswered && means !== 'delivered' ? outcome.body : null;
  const retryAfterUs = isAnswered ? readRetryAfter(outcome.status, outcome.retryAfter, nowUs) : 0;
  if (means !== 'retry') return { attempt, answer, outcome: means, due_at: null, retryAfterUs };
  const delayUs = computeRetryDelay(tries, retryAfterUs);
  if (delayUs === null) return { attempt, answer, outcome: 'failed', due_at: null, retryAfterUs };
  return { attempt, answer, outcome: 'retry', due_at: nowUs + delayUs, retryAfterUs };
}

/** Makes the test send of docs/api-v1.md: one signed event with a sample message, which no history records. */
export async function sendTest(
  services: PlatformServices,
  hook: Webhook,
): Promise<{ event_id: string; outcome: PostOutcome }> {
  const id = newId('test_event');
  const createdAt = isoTime(services.clock.nowUs());
  const inbox = {
    id: hook.inbox_id ?? newId('inbox'),
    address: hook.address ?? `you@${services.settings.mail_domain}`,
  };
  const data = { message: makeSampleMessage(inbox, createdAt) };
  return {
    event_id: id,
    outcome: await send(services, hook, { id, event: TEST, created_at: createdAt, data }),
  };
}

function send(
  services: PlatformServices,
  hook: Webhook,
  event: EventBody,
  how: Pick<PostOptions, 'signal' | 'kept'> = {},
): Promise<PostOutcome> {
  const { clock, key, settings, outside } = services;
  const nowUs = clock.nowUs();
  const body = Buffer.from(JSON.stringify(event));
  return post({
    url: hook.url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': USER_AGENT,
      ...makeEventHeaders(
        { id: event.id, kind: event.event },
        body,
        listSigningSecrets(key, hook, nowUs),
        nowUs,
      ),
    },
    body,
    allow: settings.webhook_allow_networks ?? [],
    resolver: outside.resolver,
    extraCa: outside.extraCa,
    ...how,
  });
}
