/**
 * The metrics of GET /metrics (docs/operations.md, Metrics). Names get the prefix `postern_` on the wire.
 * Counters end in _total, times are in seconds, sizes in bytes. Each label has few values, and never text from a
 * stranger.
 */
export interface MetricRule {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels?: readonly string[];
  /** Upper bounds, for a histogram. */
  buckets?: readonly number[];
  /** Set for a counter that the system keeps: it is read at each scrape, like a gauge. */
  isRead?: true;
}

const FAST_S = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5];
const SLOW_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export const metrics = {
  mails_accepted_total: { type: 'counter', help: 'Mails answered 250.' },
  messages_stored_total: { type: 'counter', help: 'Messages stored: one per recipient of a mail.' },
  mails_refused_total: {
    type: 'counter',
    labels: ['reason', 'code'],
    help: 'Refused connections, recipients and mails, by SMTP reply.',
  },
  smtp_faults_total: {
    type: 'counter',
    labels: ['stage'],
    help: 'SMTP faults on demand, by stage: replies, dropped connections and delays that a rule asked for.',
  },
  mail_bytes_total: { type: 'counter', help: 'Bytes of accepted mail.' },
  smtp_connections: { type: 'gauge', help: 'Open SMTP connections.' },
  parse_seconds: {
    type: 'histogram',
    buckets: SLOW_S,
    help: 'From the last byte of a mail to its parsed form.',
  },
  parser_kills_total: {
    type: 'counter',
    labels: ['reason'],
    help: 'Parser processes that died while parsing a mail.',
  },
  parses_total: {
    type: 'counter',
    labels: ['status'],
    help: 'Mails parsed, and mails that could not be parsed.',
  },
  extractions_total: {
    type: 'counter',
    labels: ['found'],
    help: 'What was extracted from stored mails: code, link, both or none.',
  },
  commit_seconds: {
    type: 'histogram',
    buckets: FAST_S,
    help: 'One transaction of the writer, including its fsync.',
  },
  commit_group_size: {
    type: 'histogram',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    help: 'Write operations in one transaction.',
  },
  writes_waiting: { type: 'gauge', help: 'Write operations without an answer yet.' },
  store_bytes: { type: 'gauge', help: 'Size of the store without its write-ahead log.' },
  store_free_bytes: { type: 'gauge', help: 'Free bytes within the store that can be returned to the disk.' },
  messages_erased_total: {
    type: 'counter',
    labels: ['reason'],
    help: 'Messages erased by a job: by plan, age or size (retention), because a rule says so, or because their inbox was deleted.',
  },
  waits_open: { type: 'gauge', help: 'Open waits and streams.' },
  wait_wake_seconds: {
    type: 'histogram',
    buckets: FAST_S,
    help: 'From the announcement of a stored message to the answer of a wait that it woke.',
  },
  webhook_attempts_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Webhook delivery attempts: delivered, retry, failed, gone, or no_message.',
  },
  webhook_attempt_seconds: { type: 'histogram', buckets: SLOW_S, help: 'One webhook delivery attempt.' },
  rule_errands_total: {
    type: 'counter',
    labels: ['kind', 'status'],
    help: 'Attempts at what rules send, by kind (forward, notify): done, pending (retried), failed, refused.',
  },
  webhook_queue: { type: 'gauge', help: 'Pending webhook deliveries.' },
  outbound_attempts_total: {
    type: 'counter',
    labels: ['status'],
    help: 'Sending attempts, by result per recipient: sent, queued (retried), bounced, rejected, failed.',
  },
  outbound_queue: { type: 'gauge', help: 'Recipients of outbound email that wait for an attempt.' },
  authentication_checks_total: {
    type: 'counter',
    labels: ['method', 'result'],
    help: 'Sender verdicts, by method (spf, dkim, dmarc).',
  },
  authentication_seconds: {
    type: 'histogram',
    buckets: SLOW_S,
    help: 'One SPF, DKIM and DMARC check of a mail, including DNS.',
  },
  authentication_queue: { type: 'gauge', help: 'Mails whose sender check is pending.' },
  http_requests_total: {
    type: 'counter',
    labels: ['route', 'status'],
    help: 'HTTP responses, by operation (as in the OpenAPI document) and status.',
  },
  http_request_seconds: {
    type: 'histogram',
    buckets: SLOW_S,
    help: 'From a request to the headers of its response, waits and streams excepted.',
  },
  certificate_expires_seconds: {
    type: 'gauge',
    help: 'Seconds until the certificate in use expires; negative when it has.',
  },
  acme_failures_total: {
    type: 'counter',
    help: 'Attempts to get a certificate that failed, and times when the CA was not asked because a name led elsewhere.',
  },
  event_loop_lag_seconds: {
    type: 'gauge',
    help: 'Longest block of the main thread since the last scrape.',
  },
  process_resident_memory_bytes: { type: 'gauge', help: 'Resident memory of the main process.' },
  process_cpu_seconds_total: { type: 'counter', isRead: true, help: 'CPU time of the main process.' },
  process_start_time_seconds: { type: 'gauge', help: 'Start of the process, Unix time.' },
  build_info: { type: 'gauge', labels: ['version', 'bun'], help: '1; the labels say which version runs.' },
} as const satisfies Record<string, MetricRule>;

export type MetricName = keyof typeof metrics;
type OfType<Type> = {
  [Name in MetricName]: (typeof metrics)[Name]['type'] extends Type ? Name : never;
}[MetricName];
/** The counters that the system keeps. */
type ReadCounterName = {
  [Name in MetricName]: (typeof metrics)[Name] extends { isRead: true } ? Name : never;
}[MetricName];
export type CounterName = Exclude<OfType<'counter'>, ReadCounterName>;
/** The metrics that are read at each scrape. */
export type GaugeName = OfType<'gauge'> | ReadCounterName;
export type HistogramName = OfType<'histogram'>;

/** The name on the wire. */
export function metricName(name: MetricName): string {
  return name.startsWith('process_') ? name : `postern_${name}`;
}
