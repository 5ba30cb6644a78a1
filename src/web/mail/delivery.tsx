import type { ComponentChildren } from 'preact';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { fullTime, size } from '../format.ts';
import { Candidates } from './finding.tsx';

/** How the message arrived: the SMTP session, sender authentication, and code candidates. */
export function DeliveryTab({ message }: { message: OpenedMessage }) {
  const { session, authentication } = message;
  return (
    <div class="grid grid-cols-1 gap-4">
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
          <Fact name="Client">
            {session.client_address} ({session.protocol})
          </Fact>
          <Fact name="HELO">{session.helo || 'none'}</Fact>
          <Fact name="Envelope sender">{message.envelope_from || '<> (delivery report)'}</Fact>
          <Fact name="Envelope recipient">{message.envelope_recipient}</Fact>
          <Fact name="Inbox">{message.address}</Fact>
          <Fact name="Received">{fullTime(message.received_at)}</Fact>
          {message.sent_at && <Fact name="Sent (according to the sender)">{fullTime(message.sent_at)}</Fact>}
          <Fact name="Size">{size(message.size)}</Fact>
          {message.message_id && <Fact name="Message-ID">{message.message_id}</Fact>}
        </dl>
      </section>
    </div>
  );
}

const Reason = ({ of }: { of: string | null }) =>
  of && <p class="mt-2 text-sm text-soft">Chosen because {of}.</p>;

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt class="text-soft">{name}</dt>
      <dd class="mb-2 wrap-anywhere sm:mb-0">{children}</dd>
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
