import { useState } from 'preact/hooks';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { Icon, type IconName } from '../icons.tsx';

const widths: { name: string; icon: IconName; px: number | null }[] = [
  { name: 'Phone', icon: 'phone', px: 375 },
  { name: 'Tablet', icon: 'tablet', px: 768 },
  { name: 'Full width', icon: 'screen', px: null },
];

/**
 * The message's HTML in a frame with an opaque origin and its own policy (doors/dashboard/frame.ts): no scripts, no
 * forms, and no remote content until the person asks for it.
 */
export function HtmlFrame({ message }: { message: OpenedMessage }) {
  const [px, setPx] = useState<number | null>(null);
  const [images, setImages] = useState(false);
  return (
    <div class="flex flex-1 flex-col gap-3">
      <div class="flex flex-wrap items-center gap-3">
        <fieldset class="hidden rounded-md border border-line sm:flex" aria-label="Width">
          {widths.map((width) => (
            <button
              key={width.name}
              type="button"
              class={`grid h-7 w-9 place-items-center rounded-[5px] ${px === width.px ? 'bg-tint text-tintink' : 'text-soft hover:bg-hover'}`}
              aria-label={width.name}
              aria-pressed={px === width.px}
              title={width.px ? `${width.name}, ${width.px} px` : width.name}
              onClick={() => setPx(width.px)}
            >
              <Icon name={width.icon} />
            </button>
          ))}
        </fieldset>
        {message.remote_content && !images && (
          <div class="flex flex-1 flex-wrap items-center gap-2 text-sm text-soft">
            <span title="Loading them tells the sender that the message was opened.">
              Remote images are blocked.
            </span>
            <button type="button" class="button h-7!" onClick={() => setImages(true)}>
              Load images
            </button>
          </div>
        )}
      </div>
      <div class="flex min-h-[60dvh] flex-1 justify-center overflow-x-auto rounded-lg border border-line bg-hover">
        <iframe
          key={String(images)}
          title="HTML message"
          class="h-auto w-full bg-white"
          style={px ? { width: `${px}px`, flex: 'none' } : {}}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          referrerpolicy="no-referrer"
          src={`/dashboard/api/messages/${message.id}/frame${images ? '?images=true' : ''}`}
        />
      </div>
    </div>
  );
}
