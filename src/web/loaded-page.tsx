import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { explainMissing, Missing } from './lazy.tsx';
import { Skeleton } from './parts.tsx';
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
  const [fault, setFault] = useState('');
  useEffect(() => {
    setFault('');
    Promise.all([load(), loadWords(areas)])
      .then(([{ default: Page }]) => setPage({ Page }))
      .catch(async () => setFault(await explainMissing()));
  }, [load]);
  if (page) return <page.Page rest={rest} />;
  if (!fault) return <Skeleton rows={5} />;
  return (
    <div>
      <h1 class="sr-only">{words.frame.failures.page}</h1>
      <Missing title={words.frame.notLoaded.title}>{fault}</Missing>
    </div>
  );
}
