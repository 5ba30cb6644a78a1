import { size } from '../format.ts';
import { Icon } from '../icons.tsx';
import type { Attachment, Message } from '../wire.ts';

/** Types that the server gives as a picture (doors/dashboard/frame.ts); no other is shown in the page. */
const picture = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;
const PICTURE_BYTES_MAX = 16 * 1024 * 1024;

export function Attachments({ message }: { message: Message }) {
  return (
    <ul class="grid grid-cols-1 gap-3 sm:grid-cols-2">
      {message.attachments.map((file) => (
        <li key={file.index}>
          <File file={file} path={`/dashboard/api/messages/${message.id}/attachments/${file.index}`} />
        </li>
      ))}
    </ul>
  );
}

function File({ file, path }: { file: Attachment; path: string }) {
  const name = file.filename ?? `attachment ${file.index + 1}`;
  const isPicture = picture.test(file.content_type) && file.size <= PICTURE_BYTES_MAX;
  return (
    <div class="card flex h-full flex-col overflow-hidden">
      {isPicture && (
        <img
          class="h-44 w-full bg-hover object-contain"
          src={`${path}/picture`}
          alt={name}
          loading="lazy"
          decoding="async"
        />
      )}
      <div class="mt-auto flex items-center gap-3 px-3 py-2.5">
        <Icon name="clip" class="text-faint" />
        <div class="min-w-0 flex-1">
          <div class="truncate text-sm font-medium" title={name}>
            {name}
          </div>
          <div class="truncate text-xs text-soft">
            {size(file.size)} · {file.content_type}
            {file.inline && ' · inline'}
          </div>
        </div>
        <a
          class="button button-quiet button-icon"
          href={path}
          download={name}
          aria-label={`Download ${name}`}
          title="Download"
        >
          <Icon name="download" />
        </a>
      </div>
    </div>
  );
}
