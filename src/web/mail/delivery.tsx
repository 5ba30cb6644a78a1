import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { fullTime, size } from '../format.ts';
import { CopyValue } from './copy-value.tsx';
import { Candidates } from './finding.tsx';

/** How the message arrived: the SMTP session, sender authentication, and code candidates. */
export function DeliveryTab({ message }: { message: OpenedMessage }) {
  const { session, authentication } = message;
  return (
    <div class="grid grid-cols-1 gap-4">
      {message.releases.length > 0 && <Releases of={message.releases} />}
      {authentication && <Authentication of={authentication} />}
      {message.otp_candidates.length > 0 && (
        <section class="card px-4 py-3" aria-label="Code candidates">
          <h3 class="mb-2 text-sm font-semibold">Code candidates</h3>
          <Candidates list={message.otp_candidates} />
          <Reason of={message.reasons.code} />
        </section>
      )}
      {message.magic_link && message.reasons.link && (
        <section class="card px-4 py-3" aria-label="Choice of the link">
          <h3 class="mb-2 text-sm font-semibold">Magic link</h3>
          <Reason of={message.reasons.link} />
        </section>
      )}
      <section class="card px-4 py-3" aria-label="SMTP session">
        <h3 class="mb-2 text-sm font-semibold">SMTP session</h3>
        <dl class="grid gap-x-4 text-sm sm:grid-cols-[10rem_1fr] sm:gap-y-1.5">
          <Fact name="Client" value={session.client_address} />
          <Fact name="Protocol" value={session.protocol} />
          <Fact name="HELO" value={session.helo} none="none" />
          <Fact name="Envelope sender" value={message.envelope_from} none="<> (delivery report)" />
          <Fact name="Envelope recipient" value={message.envelope_recipient} />
          {message.smtp_user && <Fact name="SMTP user" value={message.smtp_user} />}
          <Fact name="Inbox" value={message.address} />
          <Fact name="Received" value={message.received_at} shown={fullTime(message.received_at)} />
          {message.sent_at && (
            <Fact
              name="Sent (according to the sender)"
              value={message.sent_at}
              shown={fullTime(message.sent_at)}
            />
          )}
          <Fact name="Size" value={String(message.size)} shown={size(message.size)} />
          <Fact name="Message id" value={message.id} />
          {message.message_id && <Fact name="Message-ID" value={message.message_id} />}
        </dl>
      </section>
    </div>
  );
}

function Releases({ of: releases }: { of: OpenedMessage['releases'] }) {
  return (
    <section class="card px-4 py-3" aria-label="Releases">
      <h3 class="mb-2 text-sm font-semibold">Released</h3>
      <ul class="grid gap-1.5">
        {releases.map(({ at, to, is_accepted, reply }) => (
          <li key={at + to} class="flex flex-wrap items-baseline gap-x-3 text-sm">
            <span class={`tag ${is_accepted ? 'tag-accent' : 'tag-danger'}`}>
              {is_accepted ? 'accepted' : 'refused'}
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

const Reason = ({ of }: { of: string | null }) =>
  of && <p class="mt-2 text-sm text-soft">Chosen because {of}.</p>;

interface FactProps {
  name: string;
  /** What is copied. */
  value: string;
  shown?: string;
  /** In place of an empty value. */
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
  ].map(({ name, result, ...rest }) => ({ name, result, detail: detailOf(rest) }));
  return (
    <section class="card px-4 py-3" aria-label="Authentication">
      <h3 class="mb-2 text-sm font-semibold">Authentication</h3>
      <ul class="grid gap-1.5">
        {rows.map(({ name, result, detail }, index) => (
          <li key={index} class="flex items-baseline gap-3 text-sm">
            <span class="w-16 flex-none font-medium">{name}</span>
            <span class={`tag ${result === 'pass' ? 'tag-accent' : result === 'fail' ? 'tag-danger' : ''}`}>
              {result}
            </span>
            <span class="min-w-0 flex-1 break-all text-soft">{detail}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function detailOf(facts: Record<string, unknown>): string {
  return Object.entries(facts)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name} ${value}`)
    .join(' · ');
}
