import { useEffect, useState } from 'preact/hooks';
import type { ChecksView } from '../../features/checks/wire.ts';
import { type ApiFailure, read } from '../api.ts';
import { size } from '../format.ts';
import { Icon } from '../icons.tsx';
import { Empty, Skeleton } from '../parts.tsx';
import { CheckedLinks } from './checks-links.tsx';
import { Bad, CheckSection, Good } from './checks-parts.tsx';
import { HtmlSupport } from './checks-support.tsx';

/** What Gmail shows of a message's HTML (docs/checks.md, Size). */
const GMAIL_CLIP_BYTES = 102 * 1024;

/** What is wrong with a message, as a page of cards: the score first, then what to mend. */
export default function Checks({ id }: { id: string }) {
  const [checks, setChecks] = useState<ChecksView | null>(null);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    setChecks(null);
    setFailure(null);
    let isCurrent = true;
    read<ChecksView>(`messages/${id}/checks`)
      .then((data) => isCurrent && setChecks(data))
      .catch((fault) => isCurrent && setFailure(fault));
    return () => {
      isCurrent = false;
    };
  }, [id, tries]);
  if (failure) {
    const isTooMuch = failure.status === 422;
    return (
      <Empty
        icon="warn"
        title={isTooMuch ? 'This message takes too long to check' : 'The checks could not run'}
      >
        {isTooMuch ? (
          'Its HTML is too large or too deeply nested.'
        ) : (
          <>
            <p>{failure.message}</p>
            <button type="button" class="button mt-3" onClick={() => setTries(tries + 1)}>
              Try again
            </button>
          </>
        )}
      </Empty>
    );
  }
  if (!checks) return <Skeleton rows={5} />;
  return (
    <div class="grid grid-cols-1 gap-4">
      <HtmlSupport html={checks.html} hasHtml={checks.size.html_bytes > 0} />
      <CheckedLinks id={id} links={checks.links} />
      <div class="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <Accessibility of={checks.accessibility} />
        <div class="grid grid-cols-1 content-start gap-4">
          <Unsubscribe of={checks.list_unsubscribe} />
          <Size of={checks.size} />
          <Headers of={checks.headers} />
        </div>
      </div>
    </div>
  );
}

const ruleNames: Record<ChecksView['accessibility'][number]['rule'], string> = {
  alt: 'Picture without alternative text',
  contrast: 'Too little contrast',
  lang: 'No language set',
  heading: 'Heading out of order or empty',
  link_text: 'Link text says nothing',
};

function Accessibility({ of }: { of: ChecksView['accessibility'] }) {
  const rules = [...new Set(of.map(({ rule }) => rule))];
  return (
    <CheckSection
      title="Accessibility"
      state={of.length === 0 ? <Good>No issues</Good> : <Bad>{of.length}</Bad>}
    >
      {rules.map((rule) => (
        <div key={rule} class="mt-2.5 first-of-type:mt-1">
          <h4 class="text-sm font-medium">{ruleNames[rule]}</h4>
          <ul class="mt-1 grid gap-1">
            {of
              .filter((each) => each.rule === rule)
              .map(({ element }, index) => (
                <li key={index} class="font-mono text-xs text-soft wrap-anywhere">
                  {element}
                </li>
              ))}
          </ul>
        </div>
      ))}
    </CheckSection>
  );
}

function Unsubscribe({ of: { present, one_click, urls, problems } }: { of: ChecksView['list_unsubscribe'] }) {
  const state = one_click ? (
    <Good>One click</Good>
  ) : (
    <span class="tag">{present ? 'Not one-click' : 'None'}</span>
  );
  return (
    <CheckSection title="Unsubscribe" state={state}>
      {!present && (
        <p class="mt-1 text-sm text-soft">
          There is no List-Unsubscribe header. Newsletters need one, with one click.
        </p>
      )}
      <ul class="mt-1 grid gap-1 empty:hidden">
        {urls.map((url) => (
          <li key={url} class="font-mono text-xs text-soft wrap-anywhere">
            {url}
          </li>
        ))}
      </ul>
      <Problems list={problems} />
    </CheckSection>
  );
}

function Size({ of: { bytes, html_bytes, clipped_by } }: { of: ChecksView['size'] }) {
  const isClipped = clipped_by.length > 0;
  const share = Math.min(100, (html_bytes / GMAIL_CLIP_BYTES) * 100);
  return (
    <CheckSection title="Size" state={isClipped ? <Bad>Clipped by Gmail</Bad> : <Good>Not clipped</Good>}>
      <div
        role="img"
        aria-label={`${Math.round(share)} % of what Gmail shows`}
        class="mt-2 h-1.5 overflow-hidden rounded-full bg-line"
      >
        <div
          class={`h-full rounded-full ${isClipped ? 'bg-danger' : 'bg-accent'}`}
          style={{ width: `${share}%` }}
        />
      </div>
      <div class="mt-1.5 flex justify-between gap-3 text-xs text-soft tabular-nums">
        <span>HTML {size(html_bytes)} of 102 KB</span>
        <span>Whole message {size(bytes)}</span>
      </div>
    </CheckSection>
  );
}

function Headers({ of }: { of: ChecksView['headers'] }) {
  return (
    <CheckSection
      title="Headers and parts"
      state={of.length === 0 ? <Good>No issues</Good> : <Bad>{of.length}</Bad>}
    >
      <Problems list={of.map(({ text }) => text)} />
    </CheckSection>
  );
}

function Problems({ list }: { list: readonly string[] }) {
  return (
    <ul class="mt-1.5 grid gap-1 empty:hidden">
      {list.map((text) => (
        <li key={text} class="flex gap-1.5 text-sm">
          <Icon name="warn" class="mt-px size-4 text-warn" />
          <span class="min-w-0 wrap-anywhere">{text}</span>
        </li>
      ))}
    </ul>
  );
}
