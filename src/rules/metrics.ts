/**
 * What GET /metrics tells (docs/operations.md: Prometheus text). The names on the wire have `postern_` before them; counters
 * end in _total, times are seconds, sizes bytes. Labels hold few values each, never anything that a stranger wrote.
 */
export interface MetricRule {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels?: readonly string[];
  /** Upper ends, for a histogram. */
  buckets?: readonly number[];
}

const FAST_S = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5];
const SLOW_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export const metrics = {
  mails_accepted_total: { type: 'counter', help: 'Mails answered 250.' },
  messages_stored_total: { type: 'counter', help: 'Messages stored: one for each recipient of a mail.' },
  mails_refused_total: {
    type: 'counter',
    labels: ['reason', 'code'],
    help: 'Connections, recipients and mails that were refused, by the SMTP reply.',
  },
  mail_bytes_total: { type: 'counter', help: 'Bytes of the mails that were accepted.' },
  smtp_connections: { type: 'gauge', help: 'SMTP connections that are open.' },
  parse_seconds: {
    type: 'histogram',
    buckets: SLOW_S,
    help: 'From a mail that is in whole to its parsed form.',
  },
  parser_kills_total: {
    type: 'counter',
    labels: ['reason'],
    help: 'Parser processes that ended in the midst of a mail.',
  },
  parses_total: { type: 'counter', labels: ['status'], help: 'Mails parsed, and mails that could not be.' },
  extractions_total: {
    type: 'counter',
    labels: ['found'],
    help: 'What was read out of the mails stored: code, link, both or none.',
  },
  commit_seconds: {
    type: 'histogram',
    buckets: FAST_S,
    help: 'One transaction of the writer, its fsync included.',
  },
  commit_group_size: {
    type: 'histogram',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    help: 'Write operations that shared one transaction.',
  },
  writes_waiting: { type: 'gauge', help: 'Write operations that are not answered yet.' },
  store_bytes: { type: 'gauge', help: 'Size of the store, without its write-ahead log.' },
  store_free_bytes: { type: 'gauge', help: 'Bytes of the store that hold nothing and can be given back.' },
  messages_erased_total: {
    type: 'counter',
    labels: ['reason'],
    help: 'Messages erased by a job: plan, age or size (retention), or their inbox was deleted.',
  },
  waits_open: { type: 'gauge', help: 'Waits and streams that are open.' },
  wait_wake_seconds: {
    type: 'histogram',
    buckets: FAST_S,
    help: "From a stored message's announcement to the answer of a wait that it woke.",
  },
  webhook_attempts_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Attempts to deliver a webhook: delivered, retry, failed, gone, or no_message.',
  },
  webhook_attempt_seconds: { type: 'histogram', buckets: SLOW_S, help: 'One attempt to deliver a webhook.' },
  webhook_queue: { type: 'gauge', help: 'Webhook deliveries that are pending.' },
  outbound_attempts_total: {
    type: 'counter',
    labels: ['status'],
    help: 'Attempts to send, by what became of each recipient: sent, queued (tried again), bounced, rejected, failed.',
  },
  outbound_queue: { type: 'gauge', help: 'Recipients of outbound email that wait for an attempt.' },
  authentication_checks_total: {
    type: 'counter',
    labels: ['method', 'result'],
    help: 'Verdicts on the senders of mails, by method (spf, dkim, dmarc).',
  },
  authentication_seconds: {
    type: 'histogram',
    buckets: SLOW_S,
    help: 'From a mail taken up to its SPF, DKIM and DMARC verdicts, DNS included.',
  },
  authentication_queue: { type: 'gauge', help: 'Mails whose senders are still to be checked.' },
  http_requests_total: {
    type: 'counter',
    labels: ['route', 'status'],
    help: 'Answers of HTTP, by operation (as in the OpenAPI document) and status.',
  },
  http_request_seconds: {
    type: 'histogram',
    buckets: SLOW_S,
    help: 'From a request to the head of its answer; waits and streams are left out.',
  },
  event_loop_lag_seconds: {
    type: 'gauge',
    help: 'Longest hold-up of the main thread since the last scrape.',
  },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory of the main process.' },
  process_cpu_seconds_total: { type: 'gauge', help: 'Processor time of the main process.' },
  process_start_time_seconds: { type: 'gauge', help: 'When the process started, Unix time.' },
  build_info: { type: 'gauge', labels: ['version', 'bun'], help: '1; the labels tell what runs.' },
} as const satisfies Record<string, MetricRule>;

export type MetricName = keyof typeof metrics;
type OfType<Type> = {
  [Name in MetricName]: (typeof metrics)[Name]['type'] extends Type ? Name : never;
}[MetricName];
export type CounterName = OfType<'counter'>;
export type GaugeName = OfType<'gauge'>;
export type HistogramName = OfType<'histogram'>;

/** On the wire. */
export function metricName(name: MetricName): string {
  return name.startsWith('process_') ? name : `postern_${name}`;
}
