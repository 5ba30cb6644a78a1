import { readHost } from '../format.ts';
import { CopyButton, IconButton } from '../parts.tsx';
import { words } from '../words/words.ts';
import { askToOpen } from './open-link.tsx';

/** Every link of the message in order, host first, because that distinguishes links. */
export function Links({ links }: { links: readonly string[] }) {
  return (
    <ul class="card divide-y divide-line">
      {links.map((url) => (
        <li key={url} class="flex items-center gap-1 py-1.5 pr-1.5 pl-4">
          <div class="min-w-0 flex-1">
            <div class="truncate text-sm font-medium">{readHost(url)}</div>
            <div class="truncate font-mono text-xs text-soft" title={url}>
              <bdi>{url}</bdi>
            </div>
          </div>
          <CopyButton text={url} what={words.reading.link.link} />
          <IconButton icon="open" label={words.reading.link.open} onClick={() => askToOpen(url)} />
        </li>
      ))}
    </ul>
  );
}
