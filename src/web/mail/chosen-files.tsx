import { useRef } from 'preact/hooks';
import { me } from '../api.ts';
import { size } from '../format.ts';
import { Icon } from '../icons.tsx';
import { words } from '../words/words.ts';

/** Files to send: a button to choose some, and the chosen ones with their sizes. */
export function ChosenFiles({
  files,
  lost,
  onChange,
}: {
  files: readonly File[];
  /** Names of files that have to be chosen again. */
  lost: readonly string[];
  onChange: (files: File[]) => void;
}) {
  const t = words.conversation.letter;
  const input = useRef<HTMLInputElement>(null);
  const { attachments, attachment_bytes } = me.value!.bounds;
  return (
    <div class="space-y-2">
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onChange([...files, ...(currentTarget.files ?? [])]);
          // The same file may be chosen again after it was removed.
          currentTarget.value = '';
        }}
      />
      <button type="button" class="button" onClick={() => input.current?.click()}>
        {t.attach}
      </button>
      {files.length > 0 && (
        <ul class="space-y-1 text-sm">
          {files.map((file, at) => (
            <FileRow
              key={`${at} ${file.name}`}
              file={file}
              onRemove={() => onChange(files.filter((other) => other !== file))}
            />
          ))}
        </ul>
      )}
      {lost.length > 0 && (
        <p class="text-xs text-warn wrap-anywhere" role="alert">
          {t.lost(lost.join(', '))}
        </p>
      )}
      {isTooMuch(files) && (
        <p class="text-xs text-danger" role="alert">
          {t.tooMuch(attachments, size(attachment_bytes))}
        </p>
      )}
    </div>
  );
}

function FileRow({ file: { name, size: bytes }, onRemove }: { file: File; onRemove: () => void }) {
  return (
    <li class="flex items-center gap-2">
      <span class="min-w-0 flex-1 truncate" title={name}>
        {name}
      </span>
      <span class="text-xs text-faint tabular-nums">{size(bytes)}</span>
      <button
        type="button"
        class="button button-quiet button-icon"
        aria-label={words.conversation.letter.remove(name)}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

/** Whether these are more files or bytes than the server accepts. */
export function isTooMuch(files: readonly File[]): boolean {
  const { attachments, attachment_bytes } = me.value!.bounds;
  return files.length > attachments || files.reduce((sum, file) => sum + file.size, 0) > attachment_bytes;
}

/** Encodes files for the API. Rejects if a file was removed or changed since it was chosen. */
export function readFiles(files: readonly File[]): Promise<{ filename: string; content: string }[]> {
  return Promise.all(files.map(async (file) => ({ filename: file.name, content: await readBase64(file) })));
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error);
    // `data:TYPE;base64,…`, and in some browsers `data:` alone for an empty file.
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.readAsDataURL(file);
  });
}
