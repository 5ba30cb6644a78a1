import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MessageInList, OpenedMessage } from '../../doors/dashboard/wire.ts';
import { TAG, TAGS_MAX } from '../../rules/tags.ts';
import { call } from '../api.ts';
import { attempt } from '../data.ts';
import { Icon } from '../icons.tsx';
import { useKeys } from '../keys.ts';
import { words } from '../words/words.ts';
import { rows } from './list.ts';
import { openMessage } from './opened.ts';

const SUGGESTED_MAX = 50;

/** The tags of a message, with controls to add and remove them. */
export function Tags({ message: { id, tags } }: { message: OpenedMessage }) {
  const t = words.reading.tags;
  const [isAdding, setAdding] = useState(false);
  useKeys(tags.length < TAGS_MAX ? { l: () => setAdding(true) } : {});
  const addButton = useTagFocus(isAdding, tags.length);
  return (
    <>
      {tags.length > 0 && (
        <ul class="contents" aria-label={t.title}>
          {tags.map((tag) => (
            <li key={tag} class="tag tag-accent pr-0.5!">
              {tag}
              <button
                type="button"
                class="grid size-4 place-items-center rounded-sm hover:bg-accent hover:text-onaccent pointer-coarse:size-7"
                aria-label={t.remove(tag)}
                title={t.remove(tag)}
                onClick={() => void setTags(id, (before) => before.filter((each) => each !== tag))}
              >
                <Icon name="close" class="size-2.5!" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {isAdding ? (
        <NewTag
          taken={tags}
          onClose={() => setAdding(false)}
          onAdd={(tag) => setTags(id, (before) => [...before, tag])}
        />
      ) : (
        tags.length < TAGS_MAX && (
          <button
            ref={addButton}
            type="button"
            class="tag border border-dashed border-edge bg-transparent! hover:text-ink pointer-coarse:min-h-7"
            title={`${words.frame.help.addTag} (l)`}
            onClick={() => setAdding(true)}
          >
            <Icon name="plus" class="size-3!" />
            {t.add}
          </button>
        )
      )}
    </>
  );
}

/** Returns a ref for the button that adds a tag: it gets the focus when the field, or the tag that had it, is removed. */
function useTagFocus(isAdding: boolean, count: number): RefObject<HTMLButtonElement | null> {
  const addButton = useRef<HTMLButtonElement>(null);
  const before = useRef({ isAdding, count });
  useLayoutEffect(() => {
    const isLess = (before.current.isAdding && !isAdding) || count < before.current.count;
    before.current = { isAdding, count };
    if (isLess && document.activeElement === document.body) addButton.current?.focus({ preventScroll: true });
  }, [isAdding, count]);
  return addButton;
}

interface NewTagProps {
  taken: readonly string[];
  onAdd: (tag: string) => Promise<boolean>;
  onClose: () => void;
}

function NewTag({ taken, onAdd, onClose }: NewTagProps) {
  const t = words.reading.tags;
  const input = useRef<HTMLInputElement>(null);
  const [isRefused, setRefused] = useState(false);
  const add = async (event: Event) => {
    event.preventDefault();
    const { value = '' } = input.current ?? {};
    const tag = value.trim().toLowerCase();
    if (tag === '') return onClose();
    const isTag = TAG.test(tag);
    setRefused(!isTag);
    if (isTag && (taken.includes(tag) || (await onAdd(tag)))) onClose();
  };
  return (
    <form class="flex items-center gap-1.5" onSubmit={(event) => void add(event)}>
      <input
        ref={input}
        class="field h-6! w-36! px-2! text-xs! pointer-coarse:h-9!"
        aria-label={t.new}
        aria-invalid={isRefused}
        aria-describedby={isRefused ? 'tag-rule' : undefined}
        placeholder={t.name}
        maxLength={40}
        list="known-tags"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        autofocus
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onClose();
        }}
      />
      <datalist id="known-tags">
        {listKnownTags(rows.value, taken).map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
      <button type="submit" class="sr-only">
        {t.add}
      </button>
      {isRefused && (
        <span id="tag-rule" role="alert" class="text-xs text-danger">
          {t.rule}
        </span>
      )}
    </form>
  );
}

/** Tags of the listed messages that this one lacks, in alphabetical order. */
function listKnownTags(list: readonly MessageInList[], taken: readonly string[]): string[] {
  const known = new Set(list.flatMap(({ tags }) => tags));
  for (const tag of taken) known.delete(tag);
  return [...known].sort().slice(0, SUGGESTED_MAX);
}

/** Changes the tags on the page at once, then on the server. Resolves to whether the server accepted them. */
async function setTags(id: string, change: (before: string[]) => string[]): Promise<boolean> {
  const message = await openMessage(id);
  const before = message.peek().tags;
  show(change(before));
  const isDone = await attempt(() => call('PUT', `messages/${id}/tags`, { tags: change(before) }));
  if (!isDone) show(before);
  return isDone;

  function show(tags: string[]): void {
    message.value = { ...message.peek(), tags };
    rows.value = rows.peek().map((row) => (row.id === id ? { ...row, tags } : row));
  }
}
