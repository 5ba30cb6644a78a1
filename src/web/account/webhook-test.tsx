import { useState } from 'preact/hooks';
import type { TestOutcome } from '../../doors/dashboard/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { send } from '../api.ts';
import { attempt } from '../data.ts';
import { Icon } from '../icons.tsx';
import { Part } from '../rows.tsx';
import { number } from '../words/amounts.ts';
import { words } from '../words/words.ts';

/** Sends a signed sample event and shows the response. */
export function TestSend({ path }: { path: string }) {
  const t = words.account.test;
  const [outcome, setOutcome] = useState<TestOutcome | null>(null);
  const sendTest = () => attempt(async () => setOutcome(await send<TestOutcome>('POST', `${path}/test`)));
  return (
    <Part
      title={t.title}
      about={t.about}
      actions={
        <ActionButton
          busy={
            <>
              <Icon name="send" />
              {t.sending}
            </>
          }
          onRun={sendTest}
        >
          <Icon name="send" />
          {t.send}
        </ActionButton>
      }
    >
      <div role="status">{outcome && <Shown of={outcome} />}</div>
    </Part>
  );
}

function Shown({ of: outcome }: { of: TestOutcome }) {
  const t = words.account.test;
  if (outcome.kind !== 'answered') {
    return (
      <div class="card p-4">
        <p class="flex items-center gap-2 font-medium text-danger">
          <Icon name="warn" />
          {outcome.kind === 'refused' ? t.notAllowed : t.unreachable}
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
        {isGood ? t.accepted : t.rejected}
        <span class="text-sm font-normal text-soft">{t.within(number(outcome.duration_ms))}</span>
      </p>
      <Answer text={outcome.body} />
    </div>
  );
}

/** The body of a response, as plain text. */
export function Answer({ text }: { text: string }) {
  if (text === '') return <p class="mt-2 text-sm text-soft">{words.account.test.empty}</p>;
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
      tabIndex={0}
      class="mt-2 max-h-40 overflow-auto rounded-md bg-hover p-2.5 font-mono text-xs whitespace-pre-wrap"
    >
      {text}
    </pre>
  );
}
