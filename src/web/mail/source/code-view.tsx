import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../../icons.tsx';
import { words } from '../../words/words.ts';
import {
  type CodeRow,
  type Coloured,
  type Fold,
  indexFolds,
  type Kind,
  listShown,
  splitRows,
} from './code.ts';

const colours: Record<Kind, string> = {
  mark: 'text-faint',
  tag: 'text-tintink',
  attribute: 'text-note',
  value: 'text-warn',
  comment: 'text-faint italic',
  entity: 'text-note',
  field: 'font-semibold text-tintink',
  boundary: 'text-note',
};

/** Rows in a block, which is coloured when it comes into view, and laid out only while it is there. */
const BLOCK_ROWS = 100;
const ROW_PX = 20;

interface CodeViewProps extends Coloured {
  text: string;
  label: string;
  isWrapped: boolean;
}

/** Source with line numbers, colours and folds. All of its text is in the page, so the browser can search in it. */
export function CodeView({ text, tokens, folds, label, isWrapped }: CodeViewProps) {
  const rows = useMemo(() => splitRows(text, tokens), [text, tokens]);
  const byLine = useMemo(() => indexFolds(folds), [folds]);
  const first = useMemo(
    () => new Set([...byLine.values()].filter(({ isClosed }) => isClosed).map(({ from }) => from)),
    [byLine],
  );
  const [closed, setClosed] = useState<ReadonlySet<number>>(first);
  useEffect(() => setClosed(first), [first]);
  const toggle = (line: number) => {
    const next = new Set(closed);
    if (!next.delete(line)) next.add(line);
    setClosed(next);
  };
  const shown = useMemo(() => listShown(rows, byLine, closed), [rows, byLine, closed]);
  const blocks: CodeRow[][] = [];
  for (let at = 0; at < shown.length; at += BLOCK_ROWS) blocks.push(shown.slice(at, at + BLOCK_ROWS));
  const firstFold = shown.find(({ line }) => byLine.has(line))?.line;
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
      tabIndex={0}
      class="card overflow-x-auto py-2 font-mono text-xs leading-5"
      onKeyDown={moveBetweenFolds}
    >
      {blocks.map((block, index) => (
        <Block
          key={index}
          closed={closed}
          toggle={toggle}
          firstFold={firstFold}
          isWrapped={isWrapped}
          rows={block}
          folds={byLine}
          isFirst={index === 0}
        />
      ))}
    </section>
  );
}

/** One stop for the Tab key; the arrow keys go from fold to fold. */
function moveBetweenFolds(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined || !(event.target instanceof HTMLButtonElement)) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('button[data-fold]')];
  const next = buttons[buttons.indexOf(event.target) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

interface BlockProps {
  rows: CodeRow[];
  folds: ReadonlyMap<number, Fold>;
  closed: ReadonlySet<number>;
  toggle: (line: number) => void;
  firstFold: number | undefined;
  isWrapped: boolean;
  isFirst: boolean;
}

function Block({ rows, isFirst, ...rest }: BlockProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(isFirst);
  useEffect(() => {
    if (isNear) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, [isNear]);
  const style = {
    contentVisibility: 'auto',
    containIntrinsicBlockSize: `auto ${rows.length * ROW_PX}px`,
  };
  return (
    <div
      ref={box}
      style={isFirst ? {} : style}
      class={`${rest.isWrapped ? 'w-full' : 'w-max min-w-full'} ${isNear ? '' : 'pl-17 whitespace-pre'}`}
    >
      {isNear
        ? rows.map((row, index) => <Line key={index} row={row} {...rest} />)
        : rows.map(({ pieces }) => pieces.map(({ text }) => text).join('')).join('\n')}
    </div>
  );
}

type LineProps = Omit<BlockProps, 'rows' | 'isFirst'> & { row: CodeRow };

function Line({ row: { line, isRest, pieces }, folds, closed, toggle, firstFold, isWrapped }: LineProps) {
  const fold = isRest ? undefined : folds.get(line);
  const isClosed = fold !== undefined && closed.has(line);
  return (
    <div class="flex pr-4">
      <span
        class="w-12 flex-none pr-1 text-right text-faint tabular-nums select-none before:content-[attr(data-line)]"
        data-line={isRest ? '' : line + 1}
      />
      <span class="w-5 flex-none">
        {fold && (
          <button
            type="button"
            data-fold
            class="grid size-5 place-items-center rounded-sm text-faint hover:bg-hover hover:text-ink"
            aria-expanded={!isClosed}
            aria-label={words.source.lines(fold.from + 2, fold.to)}
            tabIndex={line === firstFold ? 0 : -1}
            onClick={() => toggle(line)}
          >
            <Icon name="forward" class={`size-3! ${isClosed ? '' : 'rotate-90'}`} />
          </button>
        )}
      </span>
      <code class={`min-w-0 flex-1 ${isWrapped ? 'whitespace-pre-wrap break-all' : 'whitespace-pre'}`}>
        {pieces.map(({ kind, text }, index) =>
          kind ? (
            <span key={index} class={colours[kind]}>
              {text}
            </span>
          ) : (
            text
          ),
        )}
        {isClosed && <FoldedLines count={fold.to - fold.from - 1} onClick={() => toggle(line)} />}
      </code>
    </div>
  );
}

/** For the pointer; the arrow before the line does the same by keyboard. */
function FoldedLines({ count, onClick }: { count: number; onClick: () => void }) {
  return (
    <button
      type="button"
      tabIndex={-1}
      class="tag ml-2 font-sans! hover:text-ink"
      title={words.source.show}
      onClick={onClick}
    >
      {words.source.folded(count)}
    </button>
  );
}
