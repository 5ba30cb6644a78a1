import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { base } from './base.ts';
import { Icon } from './icons.tsx';
import { connection } from './mail/live.ts';
import { words } from './words/words.ts';

/*
 * Shown on every page: the server does not answer, or it refuses mail because its disk is full.
 */

/** Why the server accepts no mail; null when it does. */
const trouble = signal<string | null>(null);

const LOOK_EVERY_MS = 20_000;
/** A server that restarts is back within this time, and nobody needs to know. */
const LOST_AFTER_MS = 2_000;

/** Asks whether the server accepts mail. */
async function look(): Promise<void> {
  const response = await fetch(`${base}/readyz`).catch(() => null);
  // When there is no answer, the live connection reports more.
  if (!response) return;
  const json = (await response.json().catch(() => null)) as { reason?: string } | null;
  trouble.value = response.status === 503 ? describe(json?.reason) : null;
}

/** The reason as a sentence; it comes in English. */
function describe(reason: string | undefined): string {
  return reason ? `${reason[0]!.toUpperCase()}${reason.slice(1)}.` : words.frame.refusing.body;
}

/** A bar on top of every page while something is wrong; mounted once, in the shell. */
export function ServerState() {
  const [isLost, setLost] = useState(false);
  const isBroken = connection.value === 'lost';
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && void look(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (!isBroken) {
      setLost(false);
      void look();
      return;
    }
    const timer = setTimeout(() => setLost(true), LOST_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isBroken]);
  const { lost, refusing } = words.frame;
  if (isLost) {
    return (
      <Bar isDanger>
        <strong>{lost.title}</strong> {lost.body}
      </Bar>
    );
  }
  if (trouble.value !== null) {
    return (
      <Bar>
        <strong>{refusing.title}</strong> {trouble.value}
      </Bar>
    );
  }
  return null;
}

function Bar({ isDanger = false, children }: { isDanger?: boolean; children: preact.ComponentChildren }) {
  return (
    <div
      role="alert"
      class={`flex flex-none items-start gap-2.5 border-b px-4 py-2 text-sm ${
        isDanger ? 'border-danger bg-dangertint text-danger' : 'border-warn bg-warntint text-warn'
      }`}
    >
      <Icon name="warn" />
      <p>{children}</p>
    </div>
  );
}
