import { useState } from 'preact/hooks';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { apiPath } from '../base.ts';
import { attempt } from '../data.ts';
import { size } from '../format.ts';
import { Icon } from '../icons.tsx';
import { lazily } from '../lazy.tsx';
import { words } from '../words/words.ts';
import { type Attachment, attachmentPath, isInlinePicture } from './attachment.ts';
import { cleanName } from './file-names.ts';

/** The ending of a mail's file. */
const MAIL_ENDING = 'eml';
const ReadOnlyMailDialog = lazily(async () => (await import('./read-only-mail.tsx')).ReadOnlyMailDialog);

/** More are shown on request: a hostile mail may have a thousand. */
const SHOWN_FILES = 24;

/** The files of a message; separately, the pictures that its HTML shows. */
export function Attachments({ message }: { message: OpenedMessage }) {
  const files = message.attachments.filter((file) => !isInlinePicture(file));
  const inline = message.attachments.filter(isInlinePicture);
  if (message.attachments.length === 0) return null;
  const t = words.reading.files;
  return (
    <section id="attachments" tabIndex={-1} aria-label={t.title} class="border-t border-line pt-4 pb-6">
      {files.length > 0 && (
        <>
          <h3 class="mb-3 flex items-center gap-2 text-sm font-semibold">
            {t.title}
            <Sum of={files} />
            {files.length > 1 && <AllInOne message={message} files={files} />}
          </h3>
          <Files message={message} files={files} />
        </>
      )}
      {inline.length > 0 && (
        <details class={files.length > 0 ? 'mt-5' : ''} open={files.length === 0 && inline.length <= 4}>
          <summary class="mb-3 w-max rounded-sm text-sm font-semibold">
            {t.inline} <Sum of={inline} />
          </summary>
          <Files message={message} files={inline} />
        </details>
      )}
    </section>
  );
}

function AllInOne({ message, files }: { message: OpenedMessage; files: readonly Attachment[] }) {
  const download = () => attempt(async () => (await import('./zip.ts')).downloadZip(message, files));
  return (
    <ActionButton class="button ml-auto" onRun={download}>
      <Icon name="download" />
      {words.reading.files.zip}
    </ActionButton>
  );
}

const Sum = ({ of }: { of: readonly Attachment[] }) => (
  <span class="text-xs font-normal text-faint tabular-nums">
    {of.length} · {size(of.reduce((sum, file) => sum + file.size, 0))}
  </span>
);

function Files({ message, files }: { message: OpenedMessage; files: readonly Attachment[] }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? files : files.slice(0, SHOWN_FILES);
  return (
    <>
      <ul class="grid grid-cols-[repeat(auto-fill,minmax(9.5rem,1fr))] gap-3">
        {shown.map((file) => (
          <li key={file.index} class="max-w-72">
            <File
              file={file}
              path={attachmentPath(message.id, file.index)}
              isPicture={message.pictures.includes(file.index)}
              isMail={message.mails.includes(file.index)}
            />
          </li>
        ))}
      </ul>
      {files.length > shown.length && (
        <button type="button" class="button mt-3" onClick={() => setOpen(true)}>
          {words.reading.files.all(files.length)}
        </button>
      )}
    </>
  );
}

interface FileProps {
  file: Attachment;
  /** Below the dashboard's routes. */
  path: string;
  isPicture: boolean;
  isMail: boolean;
}

function File({ file, path, isPicture, isMail }: FileProps) {
  const t = words.reading.files;
  const name = cleanName(file.filename) || t.unnamed(file.index + 1);
  return (
    <div class="card group/file flex h-full flex-col overflow-hidden">
      <div class="relative h-28 border-b border-line bg-hover">
        <Preview file={file} path={path} isPicture={isPicture} isMail={isMail} name={name} />
      </div>
      <div class="mt-auto flex items-center gap-1 py-1.5 pr-1 pl-2.5">
        <div class="min-w-0 flex-1">
          <div class="truncate text-sm font-medium" title={name}>
            <bdi>{name}</bdi>
          </div>
          <div class="truncate text-xs text-soft" title={file.content_type}>
            {size(file.size)} · {file.content_type}
          </div>
        </div>
        <a
          class="button button-quiet button-icon"
          href={apiPath(path)}
          download={name}
          aria-label={t.downloadOne(name)}
          title={t.download}
        >
          <Icon name="download" />
        </a>
      </div>
    </div>
  );
}

/** A preview of the file, as large as the card. */
function Preview({ path, isPicture, isMail, name }: FileProps & { name: string }) {
  const [isOpen, setOpen] = useState(false);
  const t = words.reading.files;
  if (isPicture) {
    return (
      <a
        class="block h-full outline-offset-[-2px]!"
        href={apiPath(`${path}/picture`)}
        target="_blank"
        rel="noopener noreferrer"
        title={t.open(name)}
      >
        <img
          class="h-full w-full object-scale-down"
          src={apiPath(`${path}/picture`)}
          alt={name}
          loading="lazy"
          decoding="async"
        />
      </a>
    );
  }
  if (!isMail) return <Sheet ending={readEnding(name)} />;
  return (
    <>
      <button
        type="button"
        class="block h-full w-full outline-offset-[-2px]!"
        aria-label={t.openMail(name)}
        title={t.openMail(name)}
        onClick={() => setOpen(true)}
      >
        <Sheet ending={readEnding(name) || MAIL_ENDING} />
      </button>
      {isOpen && <ReadOnlyMailDialog path={`${path}/mail`} name={name} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Instead of a preview: a sheet of paper with the file's extension. */
function Sheet({ ending }: { ending: string }) {
  return (
    <div class="grid h-full place-items-center" aria-hidden="true">
      <div class="relative grid h-18 w-14 place-items-center rounded-sm border border-edge bg-surface shadow-sm">
        <span class="absolute top-0 right-0 size-3.5 rounded-bl-sm border-b border-l border-edge bg-hover" />
        <span class="max-w-full truncate px-1 pt-2 text-xs font-semibold text-soft uppercase">
          {ending || words.reading.files.file}
        </span>
      </div>
    </div>
  );
}

function readEnding(name: string): string {
  return /\.([a-z0-9]{1,5})$/i.exec(name)?.[1] ?? '';
}
