/**
 * Drafts of emails, kept in this tab until they are sent or discarded, because Escape closes the dialog and the session
 * may end. Of attached files, only the names are kept.
 */
import { useState } from 'preact/hooks';
import { findOwnDrafts } from '../own-drafts.ts';

export interface Draft<Fields> {
  fields: Fields;
  files: readonly File[];
  /** Names of files that were attached before the dialog was closed. */
  lostFiles: readonly string[];
  /** The Idempotency-Key of this content: a retry after a lost response or a reload does not send the email twice. */
  key: string;
  change: (changes: Partial<Fields>) => void;
  changeFiles: (files: readonly File[]) => void;
  discard: () => void;
}

type Content<Fields> = Pick<Draft<Fields>, 'fields' | 'files' | 'lostFiles' | 'key'>;

/** The draft for a route that sends it, or `empty`. */
export function useDraft<Fields extends Record<string, string>>(path: string, empty: Fields): Draft<Fields> {
  const place = findOwnDrafts() + path;
  const [content, setContent] = useState(() => readDraft(place, empty));
  const replace = (changes: (before: Content<Fields>) => Partial<Content<Fields>>) =>
    setContent((before) => {
      const after = { ...before, ...changes(before), key: makeKey() };
      keepDraft(place, after);
      return after;
    });
  return {
    ...content,
    change: (changes) => replace(({ fields }) => ({ fields: { ...fields, ...changes } })),
    // The person has seen the notice about missing files by now.
    changeFiles: (files) => replace(() => ({ files, lostFiles: [] })),
    discard: () => sessionStorage.removeItem(place),
  };
}

function readDraft<Fields>(place: string, empty: Fields): Content<Fields> {
  const fresh = { fields: empty, files: [], lostFiles: [], key: makeKey() };
  try {
    const { fields, files, key } = JSON.parse(sessionStorage.getItem(place) ?? 'null') as Kept<Fields>;
    // Without its files it is a different email, so it gets a new key.
    return {
      ...fresh,
      fields: { ...empty, ...fields },
      lostFiles: files,
      ...(files.length === 0 && { key }),
    };
  } catch {
    // There is no draft, or another version of the page wrote it.
    return fresh;
  }
}

interface Kept<Fields> {
  fields: Fields;
  /** Their names. */
  files: string[];
  key: string;
}

function keepDraft<Fields>(place: string, { fields, files, lostFiles, key }: Content<Fields>): void {
  const kept: Kept<Fields> = { fields, files: [...lostFiles, ...files.map(({ name }) => name)], key };
  sessionStorage.setItem(place, JSON.stringify(kept));
}

/** Browsers have `randomUUID` only with HTTPS and on localhost. */
function makeKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
