import type { ComponentType } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { base } from './base.ts';
import { Empty, Skeleton } from './parts.tsx';
import type { PageEntry } from './places.ts';
import type { PlaceProps } from './router.tsx';
import type { Area } from './words/dictionary.ts';
import { loadWords, words } from './words/words.ts';

interface LoadedProps extends Pick<PageEntry, 'load'> {
  /** Its texts. */
  areas: Area[];
  rest: string[];
}

/** A page that is loaded on the first visit. */
export function LoadedPage({ load, areas, rest }: LoadedProps) {
  const [page, setPage] = useState<{ Page: ComponentType<PlaceProps> } | null>(null);
  const [isLost, setLost] = useState(false);
  const fetchPage = useCallback(() => {
    setLost(false);
    Promise.all([load(), loadWords(areas)])
      .then(([{ default: Page }]) => setPage({ Page }))
      .catch(async () => {
        const answer = await fetch(`${base}/healthz`).catch(() => null);
        // It was upgraded, and its assets have new names.
        if (answer?.ok) location.reload();
        else setLost(true);
      });
  }, [load]);
  useEffect(fetchPage, [fetchPage]);
  if (page) return <page.Page rest={rest} />;
  if (!isLost) return <Skeleton rows={5} />;
  const { failures, notLoaded } = words.frame;
  return (
    <div>
      <h1 class="sr-only">{failures.page}</h1>
      <Empty icon="warn" title={notLoaded.title}>
        <p>{failures.offline}</p>
        <button type="button" class="button mt-3" onClick={() => location.reload()}>
          {notLoaded.reload}
        </button>
      </Empty>
    </div>
  );
}
