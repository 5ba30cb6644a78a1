import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { fullTime, size } from '../format.ts';
import { words } from '../words/words.ts';
import { CopyValue } from './copy-value.tsx';
import { Candidates } from './finding.tsx';
import { RulesDiary } from './rules-diary.tsx';

/** How the message arrived: the SMTP session, sender authentication, and code candidates. */
export function DeliveryTab({ message }: { message: OpenedMessage }) {
  const t = words.delivery;
  const { facts } = t;
  const { session, authentication } = message;
  return (
    <div class="grid grid-cols-1 gap-4">
      {message.releases.length > 0 && <Releases of={message.releases} />}
      <RulesDiary id={message.id} />
      {authentication && <Authentication of={authentication} />}
      {message.otp_candidates.length > 0 && (
        <section class="card px-4 py-3" aria-label={t.candidates}>
          <h3 class="mb-2 text-sm font-semibold">{t.candidates}</h3>
          <Candidates list={message.otp_candidates} />
          <Reason of={message.otp_reason} words={t.codeReasons} />
        </section>
      )}
      {message.magic_link && message.magic_link_reason && (
        <section class="card px-4 py-3" aria-label={words.reading.link.title}>
          <h3 class="mb-2 text-sm font-semibold">{words.reading.link.title}</h3>
          <Reason of={message.magic_link_reason} words={t.linkReasons} />
        </section>
      )}
      <section class="card px-4 py-3" aria-label={t.session}>
        <h3 class="mb-2 text-sm font-semibold">{t.session}</h3>
        <dl class="grid items-baseline gap-x-4 text-sm sm:grid-cols-[10rem_1fr] sm:gap-y-1.5">
          <Fact name={facts.client} value={session.client_address} />
          <Fact name={facts.protocol} value={session.protocol} />
          <Fact name="HELO" value={session.helo} none={t.none} />
          <Fact name={facts.sender} value={message.envelope_from} none={t.report} />
          <Fact name={facts.recipient} value={message.envelope_recipient} />
          {message.smtp_user && <Fact name={facts.user} value={message.smtp_user} />}
          <Fact name={facts.inbox} value={message.address} />
          <Fact name={facts.received} value={message.received_at} shown={fullTime(message.received_at)} />
          {message.sent_at && (
            <Fact name={facts.sent} value={message.sent_at} shown={fullTime(message.sent_at)} />
          )}
          <Fact name={facts.size} value={String(message.size)} shown={size(message.size)} />
          <Fact name={facts.id} value={message.id} />
          {message.message_id && <Fact name="Message-ID" value={message.message_id} />}
        </dl>
      </section>
    </div>
  );
}

function Releases({ of: releases }: { of: OpenedMessage['releases'] }) {
  const t = words.delivery.releases;
  return (
    <section class="card px-4 py-3" aria-label={t.title}>
      <h3 class="mb-2 text-sm font-semibold">{t.title}</h3>
      <ul class="grid gap-1.5">
        {releases.map(({ at, to, is_accepted, reply }) => (
          <li key={at + to} class="flex flex-wrap items-baseline gap-x-3 text-sm">
            <span class={`tag ${is_accepted ? 'tag-accent' : 'tag-danger'}`}>
              {is_accepted === null ? t.unknown : is_accepted ? t.accepted : t.refused}
            </span>
            <span class="wrap-anywhere">{to}</span>
            <time class="text-faint" dateTime={at}>
              {fullTime(at)}
            </time>
            <span class="w-full wrap-anywhere text-soft">{reply}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The reasons are words of src/rules/extraction-reasons.ts, separated by commas. */
function Reason({ of, words: meanings }: { of: string | null; words: Readonly<Record<string, string>> }) {
  if (!of) return null;
  const reasons = of.split(', ').map((word) => meanings[word] ?? word);
  return <p class="mt-2 text-sm text-soft">{words.delivery.because(reasons.join('; '))}</p>;
}

interface FactProps {
  name: string;
  /** The text to copy. */
  value: string;
  shown?: string;
  /** Shown instead of an empty value. */
  none?: string;
}

function Fact({ name, value, shown = value, none = '' }: FactProps) {
  return (
    <>
      <dt class="text-soft">{name}</dt>
      <dd class="mb-2 min-w-0 sm:mb-0">
        {value === '' ? (
          none
        ) : (
          <CopyValue text={value} what={name}>
            <bdi>{shown}</bdi>
          </CopyValue>
        )}
      </dd>
    </>
  );
}

function Authentication({ of: { spf, dkim, dmarc } }: { of: NonNullable<OpenedMessage['authentication']> }) {
  const rows = [
    { name: 'SPF', ...spf },
    ...dkim.map((signature) => ({ name: 'DKIM', ...signature })),
    { name: 'DMARC', ...dmarc },
  ].map(({ name, result, ...rest }) => ({ name, result, detail: describeFacts(rest) }));
  return (
    <section class="card px-4 py-3" aria-label={words.delivery.authentication}>
      <h3 class="mb-2 text-sm font-semibold">{words.delivery.authentication}</h3>
      <ul class="grid gap-1.5">
        {rows.map(({ name, result, detail }, index) => (
          <li key={index} class="flex items-baseline gap-3 text-sm">
            <span class="w-16 flex-none font-medium">{name}</span>
            <span class={`tag ${result === 'pass' ? 'tag-accent' : result === 'fail' ? 'tag-danger' : ''}`}>
              {result}
            </span>
            <span class="min-w-0 flex-1 text-soft wrap-anywhere">{detail}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface VerdictFacts {
  domain: string | null;
  /** The server's text, in English. */
  reason: string | null;
  selector?: string | null;
  aligned?: boolean;
  policy?: string | null;
}

function describeFacts({ domain, reason, selector, aligned, policy }: VerdictFacts): string {
  const t = words.delivery.verdicts;
  return [
    domain && t.domain(domain),
    reason,
    selector && t.selector(selector),
    aligned === undefined ? null : aligned ? t.aligned : t.notAligned,
    policy && t.policy(policy),
  ]
    .filter(Boolean)
    .join(' · ');
}
