import { createHash } from 'node:crypto';

/*
 * The one script that runs in a mail's frame, ours: it tells the page around it how tall and wide the mail is, which
 * keys are pressed in it and which link is clicked. The frame's policy names it by its hash, and the mail's document
 * has an opaque origin, so the script can reach nothing but that page, by messages. src/web/mail/frame-messages.ts
 * reads them as a stranger's. docs/security.md (A mail's HTML) says why it is done this way.
 */

/** Height of a frame that asks to be measured: then nothing is as tall as the frame itself. */
export const MEASURED_PX = 4;
/** Taller mails scroll within their frame. */
export const FRAME_PX_MAX = 30_000;
/** How often a mail may grow at one width: some mails grow with their frame forever. */
const GROWTHS_MAX = 4;

/** The frame gets no vertical scroll bar, unless the script switches this off. */
const ONE_SCROLL = '<style>html{overflow-y:hidden!important}</style>';

export const FRAME_SCRIPT = `{
  const script = document.currentScript, sheet = script.previousElementSibling.sheet, root = document.documentElement;
  const say = (what) => parent !== self && parent.postMessage({ mail: what }, '*');
  let growths = 0, width = 0, said = 0;
  const measure = () => {
    const body = document.body;
    const all = document.compatMode === 'BackCompat' && body instanceof HTMLElement ? body : root;
    const height = Math.ceil(all.scrollHeight + innerHeight - Math.min(innerHeight, all.clientHeight));
    if (innerWidth !== width || innerHeight <= ${MEASURED_PX}) growths = 0;
    if (innerWidth !== width) said = 0;
    width = innerWidth;
    if (all.scrollWidth > Math.max(width, said)) say({ width: said = all.scrollWidth });
    const isTaller = height > innerHeight;
    if (innerHeight > ${MEASURED_PX} && (!isTaller || innerHeight >= ${FRAME_PX_MAX} || growths >= ${GROWTHS_MAX})) {
      if (isTaller) sheet.disabled = true;
      return;
    }
    growths += 1;
    sheet.disabled = height > ${FRAME_PX_MAX};
    say({ height: Math.min(height, ${FRAME_PX_MAX}) });
  };
  const remeasure = () => { growths = 0; measure(); };
  const begin = () => {
    say({ about: script.dataset.about });
    const watcher = new ResizeObserver(measure);
    watcher.observe(root);
    if (document.body instanceof HTMLElement) watcher.observe(document.body);
    measure();
  };
  addEventListener('DOMContentLoaded', begin);
  addEventListener('load', remeasure, true);
  addEventListener('toggle', remeasure, true);
  addEventListener('resize', measure);
  addEventListener('keydown', (event) => {
    const { key, isTrusted, altKey, ctrlKey, metaKey, isComposing } = event;
    if (!isTrusted || altKey || isComposing) return;
    const withMod = ctrlKey || metaKey;
    if (withMod ? key !== 'k' : key !== 'Escape' && key !== 'Delete' && (key.length !== 1 || key === ' ')) return;
    event.preventDefault();
    say({ key: (withMod ? 'mod+' : '') + key });
  }, true);
  const follow = (event) => {
    const link = event.target instanceof Element && event.target.closest('a[href], area[href]');
    if (!link || !event.isTrusted || event.button === 2) return;
    event.preventDefault();
    const href = link.getAttribute('href');
    if (href[0] !== '#') return say({ link: href });
    const name = href.slice(1);
    const to = document.getElementById(name) || document.getElementsByName(name)[0];
    say({ top: to ? Math.max(0, Math.round(to.getBoundingClientRect().top + scrollY)) : 0 });
  };
  addEventListener('click', follow, true);
  addEventListener('auxclick', follow, true);
}`;

export const FRAME_SCRIPT_HASH = `'sha256-${createHash('sha256').update(FRAME_SCRIPT).digest('base64')}'`;

/** What comes before the mail's own document. `about` is what the page says of the mail. */
export function makeFrameHead(about: object): string {
  const text = JSON.stringify(about).replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `${ONE_SCROLL}<script data-about="${text}">${FRAME_SCRIPT}</script>`;
}
