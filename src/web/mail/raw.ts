import { useEffect, useState } from 'preact/hooks';
import { ApiFailure } from '../api.ts';
import { apiPath } from '../base.ts';
import { showFault } from '../toast.tsx';
import { words } from '../words/words.ts';

interface Raw {
  text: string;
  isCut: boolean;
}

/** Returns the message as received, or the beginning of a large one; null until it is loaded. */
export function useRaw(id: string): Raw | null {
  const [raw, setRaw] = useState<Raw | null>(null);
  useEffect(() => {
    fetch(apiPath(`messages/${id}/source`))
      .then(async (answer) => {
        if (!answer.ok) throw new ApiFailure(answer.status, '', words.source.failed);
        setRaw({ text: await answer.text(), isCut: answer.headers.get('x-cut') === 'true' });
      })
      .catch(showFault);
  }, [id]);
  return raw;
}
