import { useEffect, useState } from 'preact/hooks';
import { CopyButton, Skeleton } from '../parts.tsx';
import { tellFault } from '../toast.tsx';

interface Raw {
  text: string;
  isCut: boolean;
}

function useRaw(id: string): Raw | null {
  const [raw, setRaw] = useState<Raw | null>(null);
  useEffect(() => {
    fetch(`/dashboard/api/messages/${id}/source`)
      .then(async (answer) => {
        setRaw({ text: await answer.text(), isCut: answer.headers.get('x-cut') === 'true' });
      })
      .catch(tellFault);
  }, [id]);
  return raw;
}

/** The message as received, or the beginning of a large one. */
export function Source({ id }: { id: string }) {
  const raw = useRaw(id);
  if (!raw) return <Skeleton rows={4} />;
  return (
    <>
      <div class="mb-3 flex items-center gap-2">
        <CopyButton text={raw.text} what="Source" label="Copy source" />
        {raw.isCut && (
          <span class="text-sm text-soft">
            Only the beginning is shown. Download the message for the rest.
          </span>
        )}
      </div>
      <pre class="card overflow-x-auto p-4 font-mono text-xs leading-5 whitespace-pre-wrap break-all">
        {raw.text}
      </pre>
    </>
  );
}

/** The header fields in order, unfolded (RFC 5322 2.2.3). */
export function Headers({ id }: { id: string }) {
  const raw = useRaw(id);
  if (!raw) return <Skeleton rows={4} />;
  const head = raw.text.split(/\r?\n\r?\n/, 1)[0] ?? '';
  const fields = head
    .replace(/\r?\n(?=[ \t])/g, '')
    .split(/\r?\n/)
    .map((line) => /^([^:\s]+):\s*(.*)$/.exec(line))
    .filter((found) => found !== null);
  return (
    <dl class="card divide-y divide-line">
      {fields.map(([line, name, value], index) => (
        <div key={index + line} class="grid gap-x-4 px-4 py-2 sm:grid-cols-[12rem_1fr]">
          <dt class="text-sm font-medium break-all">{name}</dt>
          <dd class="font-mono text-xs leading-[1.125rem] break-all text-soft">{decoded(value ?? '')}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Decodes encoded words (RFC 2047); anything else, or an unknown charset, is left unchanged. */
function decoded(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(
      /=\?([\w-]+)(?:\*[\w-]+)?\?([bq])\?([^?]*)\?=/gi,
      (word, charset: string, way: string, text: string) => {
        try {
          const binary = way.toLowerCase() === 'b' ? atob(text) : quoted(text);
          const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
          return new TextDecoder(charset).decode(bytes);
        } catch {
          return word;
        }
      },
    );
}

function quoted(text: string): string {
  return text
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
