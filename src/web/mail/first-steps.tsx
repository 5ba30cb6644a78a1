import { useState } from 'preact/hooks';
import type { SentTestMail, TrapView } from '../../doors/dashboard/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { me, send } from '../api.ts';
import { base, serverUrl } from '../base.ts';
import { attempt, useData } from '../data.ts';
import { Icon } from '../icons.tsx';
import { CopyButton } from '../parts.tsx';
import type { PlaceProps } from '../router.tsx';
import { AddButton, Loaded } from '../rows.tsx';
import { Code, MailerTabs, SmtpFacts } from '../smtp-settings.tsx';
import { showToast } from '../toast.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import { CreateInbox } from './create-inbox.tsx';
import { inboxes } from './inboxes.ts';
import { connection } from './live.ts';

/** What an inbox, or the whole account, shows until it has mail: how to send some, and how to read its code. */
export default function FirstSteps({ rest: [which = 'all'] }: PlaceProps) {
  const inbox = inboxes.value.find(({ id }) => id === which) ?? null;
  const isTrap = me.value?.trap ?? false;
  // A server's account needs an address first; a trap has every address.
  const needsInbox = !isTrap && inbox === null;
  const address = inbox?.address ?? (isTrap ? 'you@example.com' : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section aria-label={words.steps.label} tabIndex={0} class="h-full overflow-y-auto outline-offset-[-2px]">
      <div class="mx-auto max-w-3xl px-5 pt-4 pb-12 sm:px-8 sm:pt-10">
        <Waiting of={address} inboxId={inbox?.id ?? null} isTrap={isTrap} needsInbox={needsInbox} />
        {isTrap ? <TrapSteps address={address!} /> : address && <InboxSteps address={address} />}
      </div>
    </section>
  );
}

interface WaitingProps {
  of: string | undefined;
  inboxId: string | null;
  isTrap: boolean;
  needsInbox: boolean;
}

function Waiting({ of: address, inboxId, isTrap, needsInbox }: WaitingProps) {
  const t = words.steps;
  const [isCreating, setCreating] = useState(false);
  return (
    <header class="mb-8">
      <h2 class="flex items-center gap-3 text-xl font-semibold tracking-tight">
        <Pulse />
        {needsInbox ? t.noMail : inboxId ? t.noMailHere : t.waiting}
      </h2>
      <p class="mt-1.5 max-w-prose text-soft">
        {isTrap ? t.aboutTrap : needsInbox ? t.aboutNew : t.aboutInbox}
      </p>
      {inboxId && address && (
        <p class="mt-3 flex items-center gap-1 font-mono font-semibold break-all">
          {address}
          <CopyButton text={address} what={words.list.address} />
        </p>
      )}
      <div class="mt-4 flex flex-wrap gap-2">
        {needsInbox ? (
          <AddButton onClick={() => setCreating(true)}>{t.create}</AddButton>
        ) : (
          <SendTest inboxId={inboxId} />
        )}
        <a class="button" href={`${base}/docs`} target="_blank" rel="noopener">
          {t.reference}
          <Icon name="open" />
        </a>
      </div>
      {isCreating && <CreateInbox onClose={() => setCreating(false)} />}
    </header>
  );
}

/** A dot that pulses while new mail would be shown at once. */
function Pulse() {
  const isLive = connection.value === 'live';
  return (
    <span
      class={`size-2.5 flex-none rounded-full ${isLive ? 'skeleton bg-accent!' : 'bg-edge'}`}
      aria-hidden="true"
    />
  );
}

function SendTest({ inboxId }: { inboxId: string | null }) {
  const sendTest = () =>
    attempt(async () => {
      const data = await send<SentTestMail>('POST', 'test-mail', { inbox_id: inboxId });
      showToast(words.steps.sent(data.address));
    });
  return (
    <ActionButton class="button button-main" onRun={sendTest}>
      <Icon name="send" />
      {words.steps.send}
    </ActionButton>
  );
}

function TrapSteps({ address }: { address: string }) {
  const trap = useData<TrapView>('trap');
  return (
    <Loaded of={trap} rows={4}>
      {(view) => (
        <>
          <Step no={1} title={words.steps.point}>
            <SmtpFacts of={view} />
            <div class="h-3" />
            <MailerTabs mailers={view.mailers} />
            {view.needs_key && <p class="mt-2 text-sm text-soft">{words.steps.replaceKey}</p>}
          </Step>
          <ReadStep no={2} address={address} needsKey={view.api_needs_key} />
        </>
      )}
    </Loaded>
  );
}

function InboxSteps({ address }: { address: string }) {
  return <ReadStep no={1} address={address} needsKey />;
}

/** Uses the address that this page was opened at: the API has the same. */
function ReadStep({ no, address, needsKey }: { no: number; address: string; needsKey: boolean }) {
  const t = words.steps;
  const base = `${serverUrl}/api/v1/inboxes/${encodeURIComponent(address).replaceAll('%40', '@')}/messages`;
  const curl = needsKey ? 'curl -sS -H "Authorization: Bearer $POSTERN_API_KEY"' : 'curl -sS';
  return (
    <Step no={no} title={t.read}>
      <div class="card divide-y divide-line overflow-hidden">
        <Code
          title={t.wait}
          what={t.command}
          isCommand
          text={`${curl} "${base}/wait?since=0&require=otp&timeout=25"`}
        />
        <Code title={t.newest} what={t.command} isCommand text={`${curl} "${base}/latest"`} />
      </div>
      <p class="mt-2 text-sm text-soft">
        {fill(t.fields, {
          code: <code class="font-mono text-ink">data.otp</code>,
          link: <code class="font-mono text-ink">data.magic_link</code>,
        })}
      </p>
    </Step>
  );
}

function Step({ no, title, children }: { no: number; title: string; children: preact.ComponentChildren }) {
  return (
    <section class="mb-8">
      <h3 class="mb-3 flex items-center gap-2.5 font-semibold">
        <span
          class="grid size-6 place-items-center rounded-full bg-tint text-xs font-semibold text-tintink tabular-nums"
          aria-hidden="true"
        >
          {no}
        </span>
        {title}
      </h3>
      {children}
    </section>
  );
}
