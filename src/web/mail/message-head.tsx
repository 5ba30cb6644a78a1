import { useState } from 'preact/hooks';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { fullTime, readAddress, readName, size } from '../format.ts';
import { Icon } from '../icons.tsx';
import { Link, pathTo } from '../router.tsx';
import { words } from '../words/words.ts';
import { isInlinePicture } from './attachment.ts';
import { CopyValue } from './copy-value.tsx';
import { listBlind } from './recipients.ts';
import { Tags } from './tags.tsx';

/** Who sent what to whom, and when. */
export function MessageHead({ message }: { message: OpenedMessage }) {
  const { subject, from, received_at, status, truncated, attachments } = message;
  const t = words.reading.head;
  const name = readName(from);
  const address = readAddress(from);
  const files = attachments.filter((file) => !isInlinePicture(file)).length;
  return (
    <header>
      <h2 dir="auto" class="text-xl font-semibold tracking-tight text-balance wrap-anywhere">
        {subject || words.list.noSubject}
      </h2>
      <div class="mt-3 flex items-start gap-3">
        <Monogram name={name} />
        <div class="min-w-0 flex-1 text-sm">
          <div class="flex flex-wrap items-baseline gap-x-2">
            {name !== address && <bdi class="font-semibold wrap-anywhere">{name}</bdi>}
            {address !== '' && (
              <CopyValue
                text={address}
                what={t.sender}
                class={name === address ? 'font-semibold' : 'text-soft'}
              />
            )}
          </div>
          <Recipients message={message} />
        </div>
        <div class="hidden flex-none text-right text-xs text-faint tabular-nums sm:block">
          <time dateTime={received_at}>{fullTime(received_at)}</time>
          <div>{size(message.size)}</div>
        </div>
      </div>
      <div class="mt-2 text-xs text-faint tabular-nums sm:hidden">
        <time dateTime={received_at}>{fullTime(received_at)}</time> · {size(message.size)}
      </div>
      <div class="mt-2.5 flex flex-wrap items-center gap-1.5">
        {files > 0 && (
          <button
            type="button"
            class="tag hover:text-ink pointer-coarse:min-h-7"
            onClick={scrollToAttachments}
          >
            <Icon name="clip" class="size-3!" />
            {words.list.attachments(files)}
          </button>
        )}
        <Tags key={message.id} message={message} />
      </div>
      {(status === 'failed' || truncated) && (
        <p class="mt-3 flex items-center gap-2 rounded-md bg-warntint px-3 py-2 text-sm text-warn">
          <Icon name="warn" />
          {status === 'failed' ? t.unparsed : t.tooLarge}
        </p>
      )}
    </header>
  );
}

function scrollToAttachments(): void {
  const section = document.getElementById('attachments');
  section?.scrollIntoView({ behavior: 'smooth', block: 'start' });
  section?.focus({ preventScroll: true });
}

function Monogram({ name }: { name: string }) {
  const letter = [...name.replace(/[^\p{L}\p{N}]/gu, '')][0]?.toUpperCase() ?? '?';
  return (
    <span
      aria-hidden="true"
      class="mt-0.5 grid size-9 flex-none place-items-center rounded-full bg-hover text-sm font-semibold text-soft"
    >
      {letter}
    </span>
  );
}

function Recipients({ message }: { message: OpenedMessage }) {
  const { to, cc, recipients, envelope_recipient: received } = message;
  const t = words.reading.head;
  const blind = listBlind(message);
  const isNamed = [...to, ...cc].some(
    (address) => readAddress(address).toLowerCase() === received.toLowerCase(),
  );
  const isBlind = blind.some(({ address }) => address === received);
  return (
    <>
      <dl class="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 leading-6 text-soft">
        {to.length > 0 && <Addresses label={t.to} list={to} />}
        {cc.length > 0 && <Addresses label={t.cc} list={cc} />}
        {blind.length > 0 && <Addresses label={t.bcc} list={blind.map(({ address }) => address)} />}
        {!isNamed && !isBlind && <Addresses label={t.for} list={[received]} />}
      </dl>
      {recipients.length > 1 && <Copies message={message} />}
    </>
  );
}

const SHOWN_ADDRESSES = 5;

function Addresses({ label, list }: { label: string; list: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? list : list.slice(0, SHOWN_ADDRESSES);
  return (
    <>
      <dt class="text-faint">{label}</dt>
      <dd class="flex min-w-0 flex-wrap gap-x-3">
        {shown.map((address, index) => (
          <CopyValue key={index + address} text={readAddress(address)} what={words.list.address}>
            <bdi>{address}</bdi>
          </CopyValue>
        ))}
        {list.length > shown.length && (
          <button type="button" class="text-accent hover:underline" onClick={() => setOpen(true)}>
            {words.reading.head.more(list.length - shown.length)}
          </button>
        )}
      </dd>
    </>
  );
}

/** Links to the other recipients' messages of this mail: each recipient has one, with its own state and tags. */
function Copies({ message: { id, recipients } }: { message: OpenedMessage }) {
  const t = words.reading.head;
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="text-soft">
      <button
        type="button"
        aria-expanded={isOpen}
        class="-mx-1 flex min-h-6 items-center gap-0.5 rounded-sm px-1 hover:bg-hover hover:text-ink"
        onClick={() => setOpen(!isOpen)}
      >
        {t.delivered(recipients.length)}
        <Icon name="forward" class={`size-3.5! ${isOpen ? '-rotate-90' : 'rotate-90'}`} />
      </button>
      {isOpen && (
        <ul
          aria-label={t.recipients}
          class="mt-1 mb-1 max-h-48 max-w-md overflow-y-auto rounded-md border border-line py-1"
        >
          {recipients.map((copy) => (
            <li key={copy.id}>
              <Link
                to={pathTo('all', copy.id)}
                aria-current={copy.id === id ? 'true' : undefined}
                class={`block px-2.5 py-1 wrap-anywhere hover:bg-hover ${copy.id === id ? 'font-medium text-ink' : ''}`}
              >
                <bdi>{copy.address}</bdi>
                {copy.id === id && <span class="text-faint"> · {t.thisOne}</span>}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
