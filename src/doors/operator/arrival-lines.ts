/** One line per mail that arrives, for people who watch a trap. */
import { isoTime } from '../../platform/core/clock.ts';
import type { Arrival } from '../../platform/services.ts';
import { formatAmount } from './amount.ts';
import { makePaint } from './paint.ts';
import { plainLine } from './plain-text.ts';

const TIME_CHARS = 8;
const DATE_CHARS = 16;
const CODE_CHARS = 10;
const MIN_COLUMNS = 40;
/** The width of a line where standard output is no terminal. */
const DEFAULT_COLUMNS = 120;

type ShownArrival = Pick<
  Arrival,
  'received_at' | 'otp' | 'magic_link' | 'envelope_recipient' | 'subject' | 'from'
>;

/**
 * Formats a line in columns, cut to the terminal's width so that it never wraps. Control characters are replaced, because
 * the text is a stranger's and could move the cursor.
 */
export function formatArrival(
  arrival: ShownArrival,
  colour: boolean,
  when: 'time' | 'date' = 'time',
  columns = process.stdout.columns || DEFAULT_COLUMNS,
): string {
  const grey = makePaint(colour, '90');
  const green = makePaint(colour, '32');
  // Minus the time, the code, and the spaces between the five columns.
  const left = Math.max(MIN_COLUMNS, columns) - (when === 'date' ? DATE_CHARS : TIME_CHARS) - CODE_CHARS - 8;
  const [to, from] = [Math.floor(left * 0.35), Math.floor(left * 0.25)];
  const fit = (text: string, chars: number) => fitColumn(plainLine(text), chars);
  const time = isoTime(arrival.received_at);
  const found = arrival.otp ?? (arrival.magic_link ? 'link' : '');
  return `${[
    grey(when === 'date' ? time.slice(0, 16).replace('T', ' ') : time.slice(11, 19)),
    green(fit(arrival.envelope_recipient, to)),
    green(fit(found, CODE_CHARS)),
    grey(fit(arrival.from || 'nobody', from)),
    fit(arrival.subject || '(no subject)', left - to - from).trimEnd(),
  ].join('  ')}\n`;
}

/** Formats a message of the API, whose time is in ISO form. */
export function formatListedArrival(
  message: Omit<ShownArrival, 'received_at'> & { received_at: string },
  colour: boolean,
  when: 'time' | 'date',
): string {
  return formatArrival({ ...message, received_at: Date.parse(message.received_at) * 1000 }, colour, when);
}

/** Cuts or pads a text to a number of columns. Wide characters take two. */
function fitColumn(text: string, columns: number): string {
  let kept = '';
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const wide = Bun.stringWidth(segment);
    if (width + wide > columns - 1 && Bun.stringWidth(text) > columns)
      return `${kept}…${' '.repeat(columns - width - 1)}`;
    kept += segment;
    width += wide;
  }
  return kept + ' '.repeat(Math.max(0, columns - width));
}

/** Counts what a trap caught, for its last line. */
export class ArrivalCount {
  private mails = 0;
  private codes = 0;
  private links = 0;

  add({ otp, magic_link }: Pick<Arrival, 'otp' | 'magic_link'>): void {
    this.mails += 1;
    if (otp !== null) this.codes += 1;
    if (magic_link !== null) this.links += 1;
  }

  format(): string {
    return `Caught ${formatAmount(this.mails, 'message')}: ${formatAmount(this.codes, 'code')}, ${formatAmount(this.links, 'link')}.\n`;
  }
}
