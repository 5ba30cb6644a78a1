import { useState } from 'preact/hooks';
import type { TrapView } from '../doors/dashboard/wire.ts';
import { CopyButton } from './parts.tsx';
import { findTabId, TabList } from './tabs.tsx';
import { words } from './words/words.ts';

/** Where programs send their mail: the empty mail list and the trap's page show it, with the texts of `trap`. */

export function SmtpFacts({ of: { servers, needs_key, starttls } }: { of: TrapView }) {
  const t = words.trap;
  const plain = servers.find(({ tls }) => !tls) ?? servers[0];
  const others = servers.filter((server) => server !== plain);
  return (
    <dl class="grid gap-px overflow-hidden rounded-lg border border-line bg-line text-sm sm:grid-cols-2">
      <Fact name={t.host} copy={plain?.host}>
        {plain?.host ?? t.noServer}
      </Fact>
      <Fact name={t.port} copy={plain && String(plain.port)}>
        {plain?.port ?? '–'}
      </Fact>
      <Fact name={t.user}>{needs_key ? t.anyWithKey : t.anyOrNone}</Fact>
      <Fact name={t.encryption}>{plain?.tls ? 'TLS' : starttls ? 'STARTTLS' : t.noEncryption}</Fact>
      {others.map(({ host, port, tls }) => (
        <Fact key={`${host}:${port}`} name={tls ? t.alsoTls : t.also} copy={`${host}:${port}`}>
          {host}:{port}
        </Fact>
      ))}
    </dl>
  );
}

function Fact({
  name,
  copy,
  children,
}: {
  name: string;
  copy?: string | undefined;
  children: preact.ComponentChildren;
}) {
  return (
    <div class="bg-surface px-4 py-2">
      <dt class="text-xs text-faint">{name}</dt>
      <dd class="flex min-h-8 items-center justify-between gap-3 font-medium">
        <span class="min-w-0 wrap-anywhere">{children}</span>
        {copy !== undefined && <CopyButton text={copy} what={name} />}
      </dd>
    </div>
  );
}

/** The settings of each framework in a tab. */
export function MailerTabs({ mailers }: { mailers: TrapView['mailers'] }) {
  const [chosen, setChosen] = useState(readChosen(mailers));
  const current = mailers.find(({ name }) => name === chosen) ?? mailers[0];
  if (!current) return null;
  const choose = (name: string) => {
    setChosen(name);
    localStorage.setItem(KEY, name);
  };
  return (
    <div class="card overflow-hidden">
      <TabList
        label={words.trap.frameworks}
        panelId={PANEL}
        tabs={mailers}
        current={current}
        render={({ name }) => shownName(name)}
        onChoose={({ name }) => choose(name)}
        class="gap-0.5 px-2 pt-1"
      />
      <div id={PANEL} role="tabpanel" aria-labelledby={findTabId(PANEL, current.name)}>
        <Code
          text={current.settings}
          what={words.trap.settingsFor(shownName(current.name))}
          title={current.file}
        />
      </div>
    </div>
  );
}

const KEY = 'postern.framework';
const PANEL = 'mailer-panel';

/** The framework that was last chosen in this browser. */
function readChosen(mailers: TrapView['mailers']): string {
  const stored = localStorage.getItem(KEY);
  return mailers.find(({ name }) => name === stored)?.name ?? mailers[0]?.name ?? '';
}

/** Settings that belong to no framework are environment variables. */
const shownName = (name: string) => (name === 'any' ? words.trap.environment : name);

interface CodeProps {
  text: string;
  what: string;
  title: string;
  /** One long line, which wraps. */
  isCommand?: boolean;
}

/** Lines to copy. */
export function Code({ text, what, title, isCommand = false }: CodeProps) {
  return (
    <div class="bg-surface">
      <div class="flex items-center justify-between gap-3 pt-1 pr-2 pl-4">
        <span class="min-w-0 truncate text-xs text-faint">{title}</span>
        <CopyButton text={text} what={what} />
      </div>
      <pre
        class={`overflow-x-auto px-4 pb-3.5 font-mono text-sm leading-relaxed outline-offset-[-2px] ${isCommand ? 'break-all whitespace-pre-wrap' : ''}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
        tabIndex={0}
      >
        {text}
      </pre>
    </div>
  );
}
