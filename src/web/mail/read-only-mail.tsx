import type { ComponentChildren } from 'preact';
import type { ReadOnlyMail } from '../../doors/dashboard/wire.ts';
import { useData } from '../data.ts';
import { Dialog } from '../dialog.tsx';
import { fullTime, size } from '../format.ts';
import { Skeleton } from '../parts.tsx';
import { words } from '../words/words.ts';
import { cleanName } from './file-names.ts';
import { HtmlFrame } from './html-frame.tsx';
import { TextTab } from './text.tsx';

interface ReadOnlyMailProps {
  /** Path of the mail under the dashboard's routes. */
  path: string;
  name: string;
  onClose: () => void;
  /** What may be done with it. */
  children?: ComponentChildren;
}

/** A mail to read only, such as one attached to the open message: it can't be marked or answered. */
export function ReadOnlyMailDialog({ path, name, onClose, children }: ReadOnlyMailProps) {
  const { data, fault } = useData<ReadOnlyMail>(path);
  return (
    <Dialog title={data?.subject || name} wide onClose={onClose}>
      {fault ? (
        <p class="text-danger">{fault}</p>
      ) : data ? (
        <Opened mail={data} path={path} />
      ) : (
        <Skeleton rows={5} />
      )}
      {children}
    </Dialog>
  );
}

function Opened({ mail, path }: { mail: ReadOnlyMail; path: string }) {
  const { from, to, cc, sent_at, html, attachments } = mail;
  const { files: t, head } = words.reading;
  const lines: [name: string, value: string][] = [
    [t.from, from],
    [head.to, to.join(', ')],
    [head.cc, cc.join(', ')],
    [t.sent, sent_at ? fullTime(sent_at) : ''],
    [
      t.title,
      attachments
        .map((file, at) => `${cleanName(file.filename) || t.unnamed(at + 1)} (${size(file.size)})`)
        .join(', '),
    ],
  ];
  return (
    <>
      <dl class="mb-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-sm">
        {lines
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <>
              <dt class="text-faint first-letter:uppercase">{name}</dt>
              <dd class="wrap-anywhere">
                <bdi>{value}</bdi>
              </dd>
            </>
          ))}
      </dl>
      {html ? (
        <div class="flex flex-col overflow-x-clip px-4 sm:px-6">
          <HtmlFrame path={path} remoteContent={mail.remote_content} />
        </div>
      ) : (
        <TextTab message={mail} />
      )}
    </>
  );
}
