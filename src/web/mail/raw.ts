import { ApiFailure } from '../api.ts';
import { apiPath } from '../base.ts';
import { type Loading, useLoading } from '../data.ts';
import { words } from '../words/words.ts';

interface Raw {
  text: string;
  isCut: boolean;
}

/** Loads the message as received, or the beginning of a large one. */
export const useRaw = (id: string): Loading<Raw> => useLoading(`messages/${id}/source`, loadRaw);

async function loadRaw(path: string): Promise<Raw> {
  const answer = await fetch(apiPath(path)).catch(() => null);
  if (!answer?.ok) throw new ApiFailure(answer?.status ?? 0, '', words.source.failed);
  return { text: await answer.text(), isCut: answer.headers.get('x-cut') === 'true' };
}
