import { useState } from 'preact/hooks';
import type { TestOutcome } from '../../doors/dashboard/wire.ts';
import { call } from '../api.ts';
import { attempt } from '../data.ts';
import { Icon } from '../icons.tsx';
import { Part } from '../rows.tsx';

/** Sends one signed sample and shows what came back. */
export function TestSend({ path }: { path: string }) {
  const [outcome, setOutcome] = useState<TestOutcome | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    await attempt(async () => setOutcome((await call<{ data: TestOutcome }>('POST', `${path}/test`)).data));
    setBusy(false);
  };
  return (
    <Part
      title="Test"
      about="Sends one signed sample now, and shows what your program answers. It is no part of the history."
      actions={
        <button type="button" class="button" disabled={isBusy} onClick={() => void send()}>
          <Icon name="send" />
          {isBusy ? 'Sending…' : 'Send a test'}
        </button>
      }
    >
      <div role="status">{outcome && <Shown of={outcome} />}</div>
    </Part>
  );
}

function Shown({ of: outcome }: { of: TestOutcome }) {
  if (outcome.kind !== 'answered') {
    return (
      <div class="card p-4">
        <p class="flex items-center gap-2 font-medium text-danger">
          <Icon name="warn" />
          {outcome.kind === 'refused' ? 'The URL may not be called' : 'The receiver could not be reached'}
        </p>
        <p class="mt-1 text-sm break-words text-soft">{outcome.reasons.join('; ')}</p>
      </div>
    );
  }
  const isGood = outcome.status >= 200 && outcome.status < 300;
  return (
    <div class="card p-4">
      <p class="flex flex-wrap items-center gap-2 font-medium">
        <span class={`tag font-mono ${isGood ? 'tag-accent' : 'tag-danger'}`}>{outcome.status}</span>
        {isGood ? 'Your program took it' : 'Your program refused it'}
        <span class="text-sm font-normal text-soft">in {outcome.duration_ms} ms</span>
      </p>
      <Answer text={outcome.body} />
    </div>
  );
}

/** What a receiver wrote: a stranger's text, as it stands. */
export function Answer({ text }: { text: string }) {
  if (text === '') return <p class="mt-2 text-sm text-soft">With no text.</p>;
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      class="mt-2 max-h-40 overflow-auto rounded-md bg-hover p-2.5 font-mono text-xs whitespace-pre-wrap"
    >
      {text}
    </pre>
  );
}
