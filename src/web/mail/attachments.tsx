import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { size } from '../format.ts';
import { Icon } from '../icons.tsx';

export function Attachments({ message }: { message: OpenedMessage }) {
  return (
    <ul class="grid grid-cols-1 gap-3 sm:grid-cols-2">
      {message.attachments.map((file) => (
        <li key={file.index}>
          <File
            file={file}
            path={`/dashboard/api/messages/${message.id}/attachments/${file.index}`}
            isPicture={message.pictures.includes(file.index)}
          />
        </li>
      ))}
    </ul>
  );
}

interface FileProps {
  file: OpenedMessage['attachments'][number];
  path: string;
  isPicture: boolean;
}

function File({ file, path, isPicture }: FileProps) {
  const name = file.filename ?? `attachment ${file.index + 1}`;
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
