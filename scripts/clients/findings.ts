/** The findings in Schemathesis's report, and which of them are not faults. */

/** A response that failed a check. */
export interface Finding {
  /** Schemathesis's name for the check, such as `positive_data_acceptance`. */
  check: string;
  /** `POST /api/v1/inboxes`. */
  operation: string;
  status: number;
  /** The error's code and its fields; empty for a response that is not an error. */
  code: string;
  fields: string[];
  message: string;
  request: string;
}

interface Accepted {
  check: string;
  /** All operations by default. */
  operation?: RegExp;
  /** All codes by default. */
  code?: string;
  /** A field that the error must name. */
  field?: string;
  /** A pattern that the message must match. */
  message?: RegExp;
  /** Why the server is right. */
  why: string;
}

const REJECTED = 'positive_data_acceptance';
const ADDRESS = 'An address has more rules than a pattern can hold (RFC 5321).';

/** Findings that are not faults, because JSON Schema can't express what the server refuses, or the contract requires it. */
export const accepted: readonly Accepted[] = [
  { check: REJECTED, field: 'cursor', why: 'A cursor is signed and belongs to one list.' },
  { check: REJECTED, field: 'since', why: 'An id must be of a message of the caller, and a day must exist.' },
  { check: REJECTED, field: 'search', why: 'The language of search has a grammar of its own.' },
  { check: REJECTED, field: 'from_address', why: ADDRESS },
  { check: REJECTED, field: 'to', why: ADDRESS },
  { check: REJECTED, field: 'cc', why: ADDRESS },
  { check: REJECTED, field: 'bcc', why: ADDRESS },
  { check: REJECTED, field: 'reply_to', why: ADDRESS },
  { check: REJECTED, operation: /outbound_allowlist/, field: 'email', why: ADDRESS },
  {
    check: REJECTED,
    field: 'body_text',
    why: 'One of two fields is needed; as anyOf, generators lose both.',
  },
  { check: REJECTED, operation: /POST .*\/domains$/, field: 'name', why: 'A domain needs a public suffix.' },
  { check: REJECTED, field: 'subject', why: 'A pattern of C1 controls would match bytes of letters in PHP.' },
  { check: REJECTED, field: 'routing_key', why: 'Some names are reserved, such as postmaster.' },
  { check: REJECTED, field: 'metadata', why: 'Integers beyond 2^53 would come back changed.' },
  { check: REJECTED, code: 'metadata_too_large', why: 'The bound is in bytes of JSON.' },
  { check: REJECTED, code: 'domain_not_found_or_unverified', why: 'The domain must be a verified one.' },
  { check: REJECTED, code: 'public_not_allowed_on_custom_domain', why: 'The contract excludes the pair.' },
  { check: REJECTED, code: 'unsupported_file_type', why: 'OpenAPI has no word for the name of a file.' },
  { check: REJECTED, operation: /verify\/batch/, field: 'emails', why: 'Not all of them may be blank.' },
  { check: REJECTED, operation: /verify\/batch/, field: 'text', why: 'The same.' },
  { check: REJECTED, code: 'batch_too_large', why: 'The bound counts different addresses.' },
  { check: REJECTED, code: 'recipient_rejected', why: 'A recipient may be suppressed.' },
  { check: REJECTED, code: 'reply_target_invalid', why: 'Depends on the message.' },
  { check: REJECTED, code: 'outbound_allowlist_limit_reached', why: 'Depends on the list.' },
  { check: REJECTED, operation: /smtp_faults/, field: 'recipient', why: 'Not known at every stage.' },
  { check: REJECTED, operation: /smtp_faults/, field: 'sender', why: 'Not known at every stage.' },
  { check: REJECTED, operation: /smtp_faults/, field: 'drop', why: 'Excludes a reply.' },
  { check: REJECTED, operation: /smtp_faults/, field: 'reply', why: 'A fault must have some effect.' },
  {
    check: 'negative_data_rejection',
    message: /parameter `(has_otp|read)` in query/,
    why: 'The contract: a list ignores filters with invalid values.',
  },
  {
    check: 'ensure_resource_availability',
    code: 'not_found',
    why: 'The example Idempotency-Key repeats a response whose resource another test has deleted since.',
  },
];

/** Reads the findings in the report (NDJSON), without duplicates. */
export function readFindings(report: string): Finding[] {
  const found = new Map<string, Finding>();
  for (const line of report.split('\n').filter(Boolean)) {
    const { ScenarioFinished, NonFatalError } = JSON.parse(line) as Event;
    if (NonFatalError) found.set(line, describeError(NonFatalError));
    const recorder = ScenarioFinished?.recorder;
    for (const [id, checks] of Object.entries(recorder?.checks ?? {})) {
      for (const { name, status, failure_info } of checks) {
        if (status !== 'failure') continue;
        const finding = describe(name, failure_info?.failure, recorder?.interactions?.[id]);
        found.set([finding.check, finding.operation, finding.code, finding.fields.join()].join(' '), finding);
      }
    }
  }
  return [...found.values()];
}

/** Returns the row of `accepted` that covers a finding, if any. */
export function findAcceptance(finding: Finding): Accepted | undefined {
  return accepted.find(
    ({ check, operation, code, field, message }) =>
      check === finding.check &&
      (operation?.test(finding.operation) ?? true) &&
      (message?.test(finding.message) ?? true) &&
      (code === undefined || code === finding.code) &&
      (field === undefined || finding.fields.includes(field)),
  );
}

interface Failure {
  operation: string;
  title: string;
  message: string;
}

interface Interaction {
  request: { method: string; uri: string; body?: { $base64: string } };
  response: { status_code: number; content?: { $base64: string } } | null;
}

interface Event {
  ScenarioFinished?: {
    recorder: {
      checks: Record<string, { name: string; status: string; failure_info?: { failure: Failure } }[]>;
      interactions?: Record<string, Interaction>;
    };
  };
  NonFatalError?: { label: string; value: { type: string; message: string } };
}

/** Describes a request or a test that Schemathesis itself could not finish. */
function describeError({ label, value }: NonNullable<Event['NonFatalError']>): Finding {
  const message = `${value.type}: ${value.message}`;
  return { check: 'error', operation: label, status: 0, code: '', fields: [], message, request: '' };
}

function describe(
  check: string,
  failure: Failure | undefined,
  interaction: Interaction | undefined,
): Finding {
  const { request, response } = interaction ?? {};
  const { code = '', fields = {} } = readError(decode(response?.content));
  return {
    check,
    operation: failure?.operation ?? '',
    status: response?.status_code ?? 0,
    code,
    fields: Object.keys(fields),
    message: `${failure?.title}: ${failure?.message}`,
    request: `${request?.method} ${request?.uri} ${decode(request?.body)}`,
  };
}

function decode(content: { $base64: string } | undefined): string {
  return Buffer.from(content?.$base64 ?? '', 'base64').toString();
}

function readError(text: string): { code?: string; fields?: object } {
  try {
    return (JSON.parse(text) as { error?: { code: string; fields: object } }).error ?? {};
  } catch {
    return {};
  }
}
