import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import { isDark } from '../theme.ts';
import { forLocale } from '../words/amounts.ts';
import { words } from '../words/words.ts';
import { chosenDark, framePath, placeFrame } from './expected.ts';
import { type Fit, FitButton, useFit } from './fit.tsx';
import { type AboutMail, type FrameReader, MEASURED_PX, readReport, useFrame } from './frame-messages.ts';
import { askToOpen } from './open-link.tsx';
import { chosenPx, Widths } from './widths.tsx';

/** What is known of the mail before its frame has loaded: nothing. */
const unknown: AboutMail = { removed: [], hasDark: false };

interface HtmlFrameProps {
  /** Path of the mail under the dashboard's routes. */
  path: string;
  remoteContent: boolean;
}

/**
 * The message's HTML in a frame with an opaque origin and its own policy (doors/dashboard/frame.ts): no script of the
 * mail's, no forms, and no remote content until the person asks for it. The frame is as tall as the mail.
 */
export function HtmlFrame({ path, remoteContent }: HtmlFrameProps) {
  const [images, setImages] = useState(false);
  const [about, setAbout] = useState(unknown);
  const [fit, setFit] = useState<Fit | null>(null);
  const t = words.reading.html;
  const dark = chosenDark.value ?? isDark.value;
  const shown = framePath(path, images);
  return (
    <div class="flex flex-1 flex-col">
      <div class="flex flex-wrap items-center gap-x-4 gap-y-2 pb-3">
        <Widths />
        {fit && <FitButton scale={fit.scale} />}
        {about.hasDark && <Schemes dark={dark} />}
        {remoteContent && !images && (
          <div class="flex flex-wrap items-center gap-2 text-sm text-soft">
            <span title={t.blockedWhy}>{t.blocked}</span>
            <button type="button" class="button h-7!" onClick={() => setImages(true)}>
              {t.load}
            </button>
          </div>
        )}
        <Removed list={about.removed} />
      </div>
      <Frame key={shown} path={shown} onAbout={setAbout} onLink={askToOpen} onFit={setFit} />
    </div>
  );
}

/** Light or dark, for a mail that has both. */
function Schemes({ dark }: { dark: boolean }) {
  const t = words.reading.html;
  return (
    <fieldset class="flex items-center rounded-md border border-line" aria-label={t.colours}>
      {[
        { name: t.light, title: t.lightMode, icon: 'sun', isDark: false } as const,
        { name: t.dark, title: t.darkMode, icon: 'moon', isDark: true } as const,
      ].map((scheme) => (
        <button
          key={scheme.name}
          type="button"
          class={`grid h-7 w-9 place-items-center rounded-[5px] ${dark === scheme.isDark ? 'bg-tint text-tintink' : 'text-soft hover:bg-hover'}`}
          aria-label={scheme.name}
          aria-pressed={dark === scheme.isDark}
          title={scheme.title}
          onClick={() => {
            chosenDark.value = scheme.isDark;
          }}
        >
          <Icon name={scheme.icon} />
        </button>
      ))}
    </fieldset>
  );
}

const together = () => forLocale('unit', (locale) => new Intl.ListFormat(locale, { type: 'unit' }));

function Removed({ list }: { list: AboutMail['removed'] }) {
  const t = words.reading.html;
  if (list.length === 0) return null;
  return (
    <p class="text-sm text-soft" title={t.removedWhy}>
      {t.removed(together().format(list.map(([kind, count]) => t.kinds[kind](count))))}
    </p>
  );
}

interface FrameProps {
  path: string;
  onAbout: (about: AboutMail) => void;
  onLink: (url: string) => void;
  onFit: (fit: Fit | null) => void;
}

const ignore = () => {};

/** After this long without a change of width the mail is measured again. */
const SETTLED_MS = 120;

function Frame({ path, onAbout, onLink, onFit }: FrameProps) {
  const [height, setHeight] = useState<number | null>(null);
  const around = useRef<HTMLDivElement>(null);
  const [fit, readWidth] = useFit(around, onFit);
  const frame = useRef<HTMLIFrameElement | null>(null);
  const host = useRef<HTMLDivElement>(null);
  const px = chosenPx.value;
  const reader: FrameReader = {
    onAbout,
    onLink,
    onHeight: setHeight,
    onWidth: readWidth,
    onTop: (top) => scrollTo(frame.current, top * (fit?.scale ?? 1)),
  };
  useFrame(frame, reader);
  useLayoutEffect(() => {
    const { element, reports, width } = placeFrame(path, host.current!);
    frame.current = element;
    element.title = words.reading.html.title;
    element.className = 'block w-full flex-none origin-top-left scheme-light';
    element.style.height = `${MEASURED_PX}px`;
    // The height measured at another width is wrong now, and the frame reports it again.
    const isOther = element.clientWidth !== width;
    for (const report of reports)
      readReport(report, isOther ? { ...reader, onHeight: ignore, onWidth: ignore } : reader);
  }, []);
  useRemeasure(frame, () => setHeight(null));
  // Keep the last height while measuring, so that the page does not jump.
  const lastHeight = useRef(0);
  if (height !== null) lastHeight.current = height * (fit?.scale ?? 1);
  useLayoutEffect(() => {
    const { style } = frame.current!;
    const isFilling = height !== null && !fit;
    style.height = isFilling ? '' : `${height ?? MEASURED_PX}px`;
    style.flex = isFilling ? `1 0 ${height}px` : 'none';
    style.width = fit ? `${fit.width}px` : '';
    style.transform = fit ? `scale(${fit.scale})` : '';
    // A scaled element takes as much room as if it were not.
    style.marginBottom = fit ? `${(fit.scale - 1) * (height ?? 0)}px` : '';
  }, [height, fit]);
  return (
    <div
      ref={around}
      class={`-mx-4 flex flex-1 overflow-x-auto overflow-y-hidden border-t border-line sm:-mx-6 ${px ? 'bg-hover' : 'bg-white'}`}
    >
      <div
        class={`mx-auto flex flex-none flex-col bg-white ${fit ? 'overflow-clip' : ''} ${px ? 'border-x border-line box-content' : 'w-full'}`}
        style={{ ...(px && { width: `${px}px` }), minHeight: `${lastHeight.current}px` }}
      >
        <div ref={host} class="contents" />
      </div>
    </div>
  );
}

/** A mail at another width has another height. One that became shorter can only be measured in a small frame. */
function useRemeasure(frame: RefObject<HTMLIFrameElement | null>, again: () => void): void {
  useEffect(() => {
    let width = frame.current?.clientWidth;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watcher = new ResizeObserver(() => {
      if (frame.current?.clientWidth === width) return;
      width = frame.current?.clientWidth;
      clearTimeout(timer);
      timer = setTimeout(again, SETTLED_MS);
    });
    if (frame.current) watcher.observe(frame.current);
    return () => {
      clearTimeout(timer);
      watcher.disconnect();
    };
  }, []);
}

/** Scrolls the pane, since the frame is as tall as the mail. */
function scrollTo(frame: HTMLElement | null, top: number): void {
  const pane = frame?.closest('article')?.querySelector('[data-scrolls]');
  if (!frame || !pane) return;
  const offset = frame.getBoundingClientRect().top - pane.getBoundingClientRect().top;
  pane.scrollTo({ top: pane.scrollTop + offset + top });
}
