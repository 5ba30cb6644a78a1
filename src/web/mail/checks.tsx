import type { ChecksView } from '../../features/checks/wire.ts';
import { GMAIL_CLIP_BYTES } from '../../rules/checks.ts';
import { useData } from '../data.ts';
import { size } from '../format.ts';
import { Icon } from '../icons.tsx';
import { Empty, Skeleton } from '../parts.tsx';
import { percent } from '../words/amounts.ts';
import { words } from '../words/words.ts';
import { CheckedLinks } from './checks-links.tsx';
import { Bad, CheckSection, Good } from './checks-parts.tsx';
import { HtmlSupport } from './checks-support.tsx';
import { translateHeader, translatePlace, translateUnsubscribe } from './checks-words.ts';

/** The results of the checks as cards: the score first, then what to fix. */
export default function Checks({ id }: { id: string }) {
  const { data: checks, fault, faultStatus, reload } = useData<ChecksView>(`messages/${id}/checks`);
  if (fault !== undefined) {
    const isTooMuch = faultStatus === 422;
    return (
      <Empty icon="warn" title={isTooMuch ? words.checks.tooMuch : words.checks.failed}>
        {isTooMuch ? (
          words.checks.tooMuchBody
        ) : (
          <>
            <p>{fault}</p>
            <button type="button" class="button mt-3" onClick={() => void reload()}>
              {words.list.tryAgain}
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

function Accessibility({ of }: { of: ChecksView['accessibility'] }) {
  const t = words.checks.accessibility;
  const rules = [...new Set(of.map(({ rule }) => rule))];
  return (
    <CheckSection
      title={t.title}
      state={of.length === 0 ? <Good>{words.checks.noIssues}</Good> : <Bad>{of.length}</Bad>}
    >
      {rules.map((rule) => (
        <div key={rule} class="mt-2.5 first-of-type:mt-1">
          <h4 class="text-sm font-medium">{t.rules[rule]}</h4>
          <ul class="mt-1 grid gap-1">
            {of
              .filter((each) => each.rule === rule)
              .map(({ element }, index) => (
                <li key={index} class="font-mono text-xs text-soft wrap-anywhere">
                  {translatePlace(element)}
                </li>
              ))}
          </ul>
        </div>
      ))}
    </CheckSection>
  );
}

function Unsubscribe({ of: { present, one_click, urls, problems } }: { of: ChecksView['list_unsubscribe'] }) {
  const t = words.checks.unsubscribe;
  const state = one_click ? (
    <Good>{t.oneClick}</Good>
  ) : (
    <span class="tag">{present ? t.notOneClick : words.checks.none}</span>
  );
  return (
    <CheckSection title={t.title} state={state}>
      {!present && <p class="mt-1 text-sm text-soft">{t.missing}</p>}
      <ul class="mt-1 grid gap-1 empty:hidden">
        {urls.map((url) => (
          <li key={url} class="font-mono text-xs text-soft wrap-anywhere">
            {url}
          </li>
        ))}
      </ul>
      <Problems list={problems.map(translateUnsubscribe)} />
    </CheckSection>
  );
}

function Size({ of: { bytes, html_bytes, clipped_by } }: { of: ChecksView['size'] }) {
  const t = words.checks.size;
  const isClipped = clipped_by.length > 0;
  const share = Math.min(100, (html_bytes / GMAIL_CLIP_BYTES) * 100);
  return (
    <CheckSection title={t.title} state={isClipped ? <Bad>{t.clipped}</Bad> : <Good>{t.notClipped}</Good>}>
      <div
        role="img"
        aria-label={t.share(percent(Math.round(share) / 100))}
        class="mt-2 h-1.5 overflow-hidden rounded-full bg-line"
      >
        <div
          class={`h-full rounded-full ${isClipped ? 'bg-danger' : 'bg-accent'}`}
          style={{ width: `${share}%` }}
        />
      </div>
      <div class="mt-1.5 flex justify-between gap-3 text-xs text-soft tabular-nums">
        <span>{t.html(size(html_bytes), size(GMAIL_CLIP_BYTES))}</span>
        <span>{t.whole(size(bytes))}</span>
      </div>
    </CheckSection>
  );
}

function Headers({ of }: { of: ChecksView['headers'] }) {
  return (
    <CheckSection
      title={words.checks.headers.title}
      state={of.length === 0 ? <Good>{words.checks.noIssues}</Good> : <Bad>{of.length}</Bad>}
    >
      <Problems list={of.map(translateHeader)} />
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
