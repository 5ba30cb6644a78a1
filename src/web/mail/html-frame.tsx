import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { Icon, type IconName } from '../icons.tsx';
import { isDark } from '../theme.ts';
import { forLocale } from '../words/amounts.ts';
import { words } from '../words/words.ts';
import { type AboutMail, MEASURED_PX, useFrame } from './frame-messages.ts';
import { askToOpen } from './open-link.tsx';

interface Width {
  name: keyof typeof words.reading.html.widths;
  icon: IconName;
  px: number | null;
}

const widths: Width[] = [
  { name: 'phone', icon: 'phone', px: 390 },
  { name: 'tablet', icon: 'tablet', px: 768 },
  { name: 'full', icon: 'screen', px: null },
];

/** The chosen width stays while the reader goes from message to message. */
const chosenPx = signal<number | null>(null);
/** Null follows the theme of the page. */
const chosenDark = signal<boolean | null>(null);

/** What the mail's frame reports is known once it has loaded. */
const unknown: AboutMail = { removed: [], hasDark: false };

/**
 * The message's HTML in a frame with an opaque origin and its own policy (doors/dashboard/frame.ts): no script of the
 * mail's, no forms, and no remote content until the person asks for it. The frame is as tall as the mail.
 */
export function HtmlFrame({ message }: { message: OpenedMessage }) {
  const [images, setImages] = useState(false);
  const [about, setAbout] = useState(unknown);
  const t = words.reading.html;
  const dark = chosenDark.value ?? isDark.value;
  const asked = new URLSearchParams({ ...(images && { images: 'true' }), ...(dark && { dark: 'true' }) });
  return (
    <div class="flex flex-1 flex-col">
      <div class="flex flex-wrap items-center gap-x-4 gap-y-2 pb-3">
        <Widths />
        {about.hasDark && <Schemes dark={dark} />}
        {message.remote_content && !images && (
          <div class="flex flex-wrap items-center gap-2 text-sm text-soft">
            <span title={t.blockedWhy}>{t.blocked}</span>
            <button type="button" class="button h-7!" onClick={() => setImages(true)}>
              {t.load}
            </button>
          </div>
        )}
        <Removed list={about.removed} />
      </div>
      <Frame
        key={asked.toString()}
        src={`/dashboard/api/messages/${message.id}/frame?${asked}`}
        onAbout={setAbout}
        onLink={askToOpen}
      />
    </div>
  );
}

function Widths() {
  const t = words.reading.html;
  return (
    <fieldset class="hidden items-center rounded-md border border-line sm:flex" aria-label={t.width}>
      {widths.map(({ name, icon, px }) => (
        <button
          key={name}
          type="button"
          class={`flex h-7 items-center gap-1.5 rounded-[5px] px-2 text-xs tabular-nums ${chosenPx.value === px ? 'bg-tint text-tintink' : 'text-soft hover:bg-hover'}`}
          aria-label={t.widths[name]}
          aria-pressed={chosenPx.value === px}
          title={px ? `${t.widths[name]}, ${t.pixels(px)}` : t.widths[name]}
          onClick={() => {
            chosenPx.value = px;
          }}
        >
          <Icon name={icon} />
          {px !== null && chosenPx.value === px && t.pixels(px)}
        </button>
      ))}
    </fieldset>
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
  // The frame may say anything.
  const known = list.filter(([kind]) => Object.hasOwn(t.kinds, kind));
  if (known.length === 0) return null;
  return (
    <p class="text-sm text-soft" title={t.removedWhy}>
      {t.removed(together().format(known.map(([kind, count]) => t.kinds[kind](count))))}
    </p>
  );
}

interface FrameProps {
  src: string;
  onAbout: (about: AboutMail) => void;
  onLink: (url: string) => void;
}

/** After this long without a change of width the mail is measured again. */
const SETTLED_MS = 120;

function Frame({ src, onAbout, onLink }: FrameProps) {
  const [height, setHeight] = useState<number | null>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const around = useRef<HTMLDivElement>(null);
  const px = chosenPx.value;
  useFrame(frame, {
    onAbout,
    onLink,
    onHeight: setHeight,
    onTop: (top) => scrollTo(frame.current, top),
  });
  // A narrower mail is taller, and a wider one shorter, which only a small frame shows.
  useEffect(() => {
    let width = frame.current?.clientWidth;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watcher = new ResizeObserver(() => {
      if (frame.current?.clientWidth === width) return;
      width = frame.current?.clientWidth;
      clearTimeout(timer);
      timer = setTimeout(() => setHeight(null), SETTLED_MS);
    });
    if (frame.current) watcher.observe(frame.current);
    return () => {
      clearTimeout(timer);
      watcher.disconnect();
    };
  }, []);
  // While it is measured, what was read stays where it is.
  const lastHeight = useRef(0);
  if (height !== null) lastHeight.current = height;
  const style = height === null ? { height: `${MEASURED_PX}px` } : { flex: `1 0 ${height}px` };
  return (
    <div
      ref={around}
      class={`-mx-4 flex flex-1 overflow-x-auto overflow-y-hidden border-t border-line sm:-mx-6 ${px ? 'bg-hover' : 'bg-white'}`}
    >
      <div
        class={`mx-auto flex flex-none flex-col bg-white ${px ? 'border-x border-line box-content' : 'w-full'}`}
        style={{ ...(px && { width: `${px}px` }), minHeight: `${lastHeight.current}px` }}
      >
        <iframe
          ref={frame}
          title={words.reading.html.title}
          class={`block w-full scheme-light ${height === null ? 'flex-none' : ''}`}
          style={style}
          sandbox="allow-scripts"
          referrerpolicy="no-referrer"
          src={src}
        />
      </div>
    </div>
  );
}

/** Scrolls the pane, since the frame is as tall as the mail. */
function scrollTo(frame: HTMLElement | null, top: number): void {
  const pane = frame?.closest('article')?.querySelector('[data-scrolls]');
  if (!frame || !pane) return;
  const offset = frame.getBoundingClientRect().top - pane.getBoundingClientRect().top;
  pane.scrollTo({ top: pane.scrollTop + offset + top });
}
