import { useState } from 'preact/hooks';
import type { ChecksView } from '../../features/checks/wire.ts';
import { linkProblems } from '../../rules/checks.ts';
import { ActionButton } from '../action-button.tsx';
import { read } from '../api.ts';
import { attempt } from '../data.ts';
import { words } from '../words/words.ts';
import { Bad, CheckSection, Good } from './checks-parts.tsx';

type CheckedLink = ChecksView['links'][number];

/** Every link with its problems and, once requested, its response. */
export function CheckedLinks({ id, links }: { id: string; links: readonly CheckedLink[] }) {
  const t = words.checks.links;
  const [asked, setAsked] = useState<readonly CheckedLink[] | null>(null);
  const shown = asked ?? links;
  const faulty = shown.filter(({ problem }) => problem !== null).length;
  const ask = () =>
    attempt(async () => setAsked((await read<ChecksView>(`messages/${id}/checks?fetch=links`)).links));
  const count = faulty === 0 ? <Good>{t.good}</Good> : <Bad>{faulty}</Bad>;
  return (
    <CheckSection
      title={t.title}
      state={links.length === 0 ? <span class="tag">{words.checks.none}</span> : count}
    >
      {links.length > 0 && (
        <>
          <ul class="-mx-4 mt-1.5 divide-y divide-line border-y border-line">
            {shown.map((link) => (
              <LinkRow key={link.url} link={link} />
            ))}
          </ul>
          <div class="mt-2.5 mb-0.5 flex flex-wrap items-center gap-x-3 gap-y-2">
            <ActionButton busy={t.checking} onRun={ask}>
              {t.check}
            </ActionButton>
            <p class="min-w-0 flex-1 text-xs text-soft" aria-live="polite">
              {asked ? t.checked : t.about}
            </p>
          </div>
        </>
      )}
    </CheckSection>
  );
}

function LinkRow({ link: { url, text, problem, fetched } }: { link: CheckedLink }) {
  return (
    <li class="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <div class="min-w-0 flex-1 basis-56">
        {text && (
          <bdi class="block truncate text-sm font-medium" title={text}>
            {text}
          </bdi>
        )}
        <div class="truncate font-mono text-xs text-soft" title={url}>
          {url || words.checks.links.empty}
        </div>
        {fetched?.location && (
          <div class="truncate font-mono text-xs text-soft" title={fetched.location}>
            → {fetched.location}
          </div>
        )}
      </div>
      {fetched && <Answer of={fetched} />}
      {problem && <span class="tag tag-danger">{words.checks.links.problems[problemName(problem)]}</span>}
    </li>
  );
}

type Problem = keyof typeof linkProblems;

/** The server sends the English text of the table. */
const problemName = (text: string) =>
  (Object.keys(linkProblems) as Problem[]).find((name) => linkProblems[name] === text)!;

function Answer({ of: { status, reason } }: { of: NonNullable<CheckedLink['fetched']> }) {
  if (status === null)
    return <span class="text-xs text-faint">{reason && words.checks.links.reasons[reason]}</span>;
  const isGood = status < 400;
  return (
    <span
      class={`tag tabular-nums ${isGood ? 'tag-accent' : 'tag-danger'}`}
      title={words.checks.links.status}
    >
      {status}
    </span>
  );
}
