/** What speaks for a candidate being the mail's code, and against it: numbers between 0 and 1. */
import type { Occurrence } from './candidates.ts';
import { type Hit, kind } from './lexicon.ts';
import { lookAt } from './page.ts';
import { type Part, type Reading, type ReadLine, share } from './reading.ts';

/** A place where a candidate stands. */
export interface Place {
  occurrence: Occurrence;
  part: Part;
  index: number;
}

export const CODE_FEATURES = [
  ...[
    'len4',
    'len5',
    'len6',
    'len7',
    'len8',
    'len9',
    'mixed',
    'letters',
    'spaced',
    'groups',
    'lower',
    'mixed_case',
  ],
  ...[
    'marked',
    'year',
    'stands_out',
    'colon_before',
    'letter_order',
    'letter_promo',
    'uneven',
    'enter_before',
    'subject_promo',
    'subject_order',
    'round',
    'namelike',
    'wordlike',
    'doubtful',
    'hash_before',
  ],
  ...[
    'own_line',
    'own_cell',
    'line_end',
    'line_start',
    'emphasis',
    'large',
    'bold',
    'spaced_type',
    'mono',
    'heading',
  ],
  ...['strong_before', 'strong_after', 'strong_prev', 'strong_next'],
  ...['code_before', 'code_after', 'code_prev', 'code_next', 'pass_near'],
  ...['act_near', 'act_prev', 'enter_near', 'expire_near', 'share_near', 'is_near'],
  ...[
    'order_before',
    'order_prev',
    'promo_near',
    'promo_prev',
    'badcode_near',
    'ending_before',
    'stale_before',
  ],
  ...[
    'negate_before',
    'example_before',
    'unit_after',
    'month_near',
    'phone_near',
    'street_near',
    'footer_line',
  ],
  ...[
    'in_link',
    'quoted',
    'late',
    'in_subject',
    'subject_code',
    'only_text',
    'repeated',
    'in_url',
    'crowded',
  ],
  ...['mail_strong', 'mail_code', 'mail_act', 'mail_expire', 'mail_share', 'mail_ignore', 'mail_enter'],
  ...[
    'mail_promo',
    'mail_order',
    'mail_unsubscribe',
    'mail_links',
    'mail_long',
    'sender_auth',
    'sender_news',
    'alone',
  ],
] as const;

export type CodeFeature = (typeof CODE_FEATURES)[number];
export type CodeVector = Record<CodeFeature, number>;

/** Features of one candidate: of each the largest over its places. */
export function codeFeatures(
  reading: Reading,
  places: Place[],
  of_mail: Partial<CodeVector>,
  count: number,
): CodeVector {
  const vector = Object.fromEntries(CODE_FEATURES.map((name) => [name, 0])) as CodeVector;
  take(vector, of_mail);
  for (const place of places) {
    take(vector, formFeatures(place));
    take(vector, placeFeatures(reading, place));
    take(vector, wordFeatures(place));
  }
  const sources = new Set(places.map(({ part }) => part.source));
  vector.in_subject = sources.has('subject') ? 1 : 0;
  vector.repeated = sources.size > 1 ? 1 : 0;
  vector.only_text = reading.body.source === 'html' && sources.size === 1 && sources.has('text') ? 1 : 0;
  vector.quoted = places.every(({ part, index }) => part.lines[index]!.quoted) ? 1 : 0;
  const letters = Math.max(vector.mixed, vector.letters);
  vector.letter_order = letters * vector.mail_order;
  vector.letter_promo = letters * vector.mail_promo;
  vector.alone = count === 1 ? 1 : 0;
  vector.crowded = Math.min(1, Math.max(0, count - 2) / 10);
  const { code } = places[0]!.occurrence;
  vector.in_url = reading.links.some(({ link }) => link.url.includes(code)) ? 1 : 0;
  return vector;
}

function take(vector: CodeVector, found: Partial<CodeVector>): void {
  for (const name of Object.keys(found) as CodeFeature[])
    vector[name] = Math.max(vector[name], Number(found[name]));
}

const SENDER_AUTH =
  /\b(?:security|secure|verif\w*|auth\w*|account|accounts|login|signin|signup|identity|otp|password|id|notify|access)\b/i;
const SENDER_NEWS =
  /\b(?:news|newsletter|offers?|deals?|marketing|promo\w*|orders?|shop|store|billing|invoices?|receipts?|sales|shipping|tracking|rewards?|digest|updates?|hello|team|bookings?|tickets?)\b/i;

/** What is the same for every candidate of a mail. */
export function mailFeatures(reading: Reading): Partial<CodeVector> {
  const address = /<([^<>]*)>\s*$/.exec(reading.from)?.[1] ?? reading.from;
  const local = address.slice(0, 200).split('@')[0] ?? '';
  const subject = reading.subject?.hits ?? [];
  const subject_acts = hasBit(subject, ACT | kind.code | kind.strong);
  return {
    subject_promo: Number(hasBit(subject, kind.promo)),
    subject_order: Number(hasBit(subject, kind.order) && !subject_acts),
    mail_strong: share(reading, kind.strong, 1),
    mail_code: share(reading, kind.code, 1),
    mail_act: Math.max(
      share(reading, kind.verify, 2),
      share(reading, kind.signin, 2),
      share(reading, kind.reset, 2),
    ),
    mail_expire: share(reading, kind.expire, 1),
    mail_share: share(reading, kind.share, 1),
    mail_ignore: share(reading, kind.ignore, 1),
    mail_enter: share(reading, kind.enter, 1),
    mail_promo: share(reading, kind.promo, 3),
    mail_order: share(reading, kind.order, 5),
    mail_unsubscribe: share(reading, kind.unsubscribe, 1),
    mail_links: Math.min(1, reading.links.length / 20),
    mail_long: Math.min(1, Math.max(0, Math.log10(reading.chars + 1) - 2) / 2),
    sender_auth: Number(SENDER_AUTH.test(local.replace(/[._+]/g, ' '))),
    sender_news: Number(SENDER_NEWS.test(local.replace(/[._+]/g, ' '))),
  };
}

function formFeatures({ occurrence, part, index }: Place): Partial<CodeVector> {
  const { code, form, start } = occurrence;
  const { text } = part.lines[index]!;
  const length = code.replaceAll('-', '').length;
  const digits = /^\d+$/.test(code);
  return {
    ...(digits || length <= 9 ? { [`len${Math.min(length, 9)}`]: 1 } : {}),
    mixed: Number(form === 'mixed'),
    letters: Number(form === 'letters'),
    spaced: Number(form === 'spaced'),
    groups: Number(form === 'groups'),
    lower: Number(/^[a-z0-9-]*[a-z][a-z0-9-]*$/.test(code)),
    mixed_case: Number(/[a-z]/.test(code) && /[A-Z]/.test(code)),
    marked: Number(occurrence.marked),
    year: Number(/^[A-Za-z-]*(?:19[5-9]|20[0-4])\d$/.test(code)),
    round: Number(/^\d+000$|^(\d)\1+$|^\d{1,2}00$/.test(code)),
    namelike: Number(/^[A-Za-z]{3,}-?\d{1,2}$|^\d{1,2}-?[A-Za-z]{3,}$/.test(code)),
    uneven: Number(
      form === 'groups' &&
        new Set(
          text
            .slice(start, occurrence.end)
            .split(/\D/)
            .map((part) => part.length),
        ).size > 1 &&
        !occurrence.marked,
    ),
    wordlike: Number(form === 'letters' && isWordlike(code)),
    doubtful: Number(occurrence.doubtful),
    hash_before: Number(
      !occurrence.marked && /(?:#|№|n[°ºo]\.?|nr\.?)\s?$/i.test(text.slice(Math.max(0, start - 5), start)),
    ),
  };
}

/** Vowels among the letters as in a word, and no pile of consonants. */
function isWordlike(code: string): boolean {
  const vowels = code.replace(/[^AEIOUY]/g, '').length;
  return vowels / code.length >= 0.25 && !/[^AEIOUY-]{4}/.test(code);
}

function lineBefore(part: Part, index: number): string {
  for (let at = index - 1; at >= 0 && at >= index - 3; at--) {
    const { text } = part.lines[at]!;
    if (text !== '') return text;
  }
  return '';
}

const EDGE = /[\s*_"'`«»“”„‘’()[\]{}<>【】「」『』:：.,;!|#=~>→➜•·\p{Pd}\p{Extended_Pictographic}]/gu;

function placeFeatures(reading: Reading, { occurrence, part, index }: Place): Partial<CodeVector> {
  const line = part.lines[index]!;
  const { start, end } = occurrence;
  const before = line.text.slice(0, start);
  const after = line.text.slice(end);
  const look = lookAt(line, start);
  const own_line = before.replace(EDGE, '') === '' && after.replace(EDGE, '') === '';
  const marked = /[*_"'`«“„‘(["「『【《]\s?$/.test(before) && /^\s?[*_"'`»”“’)\]"」』】》]/.test(after);
  return {
    own_line: Number(own_line && part.source !== 'subject'),
    own_cell: Number(own_line && line.row >= 0),
    line_end: Number(!own_line && after.replace(EDGE, '') === ''),
    line_start: Number(!own_line && before.replace(EDGE, '') === ''),
    emphasis: Number(marked && !own_line),
    large: Math.min(1, Math.max(0, look.size / reading.usual_size - 1.15)),
    bold: Number(look.bold),
    spaced_type: Number(look.spaced),
    mono: Number(look.mono),
    heading: Number(look.heading),
    in_link: Number(look.in_link),
    late: Math.min(1, index / 60),
    footer_line: Number(line.hits.some(({ kinds }) => kinds & kind.footer)),
    stands_out: own_line
      ? Math.max(
          Math.min(1, Math.max(0, look.size / reading.usual_size - 1)),
          look.bold ? 0.5 : 0,
          look.spaced ? 0.8 : 0,
        )
      : 0,
    colon_before: Number(
      /[:：﹕]\s?["“«*([]*$/.test(before) || (own_line && /[:：]$/.test(lineBefore(part, index))),
    ),
    subject_code: Number(
      part.source === 'subject' &&
        line.hits.some(({ kinds }) => kinds & (kind.code | kind.strong | kind.verify)),
    ),
  };
}

/** Characters after which a word's nearness has fallen to a third. */
const NEAR = 25;
const SENTENCE_END = /[.!?。！？।]\s/g;
/** A sentence between counts as this many characters. */
const SENTENCE = 15;

type Side = {
  before: (bits: number, near?: number) => number;
  after: (bits: number, near?: number) => number;
};

function sidesOf(line: ReadLine, { start, end }: Occurrence, hits: Hit[]): Side {
  const nearness = (from: number, to: number, near: number) => {
    const ends = line.text.slice(from, to).match(SENTENCE_END)?.length ?? 0;
    return Math.exp(-Math.max(0, to - from + ends * SENTENCE - 3) / near);
  };
  const best = (bits: number, of: (hit: Hit) => number) => {
    let most = 0;
    for (const hit of hits) if (hit.kinds & bits) most = Math.max(most, of(hit));
    return most;
  };
  return {
    before: (bits, near = NEAR) =>
      best(bits, (hit) => (hit.end <= start ? nearness(hit.end, start, near) : 0)),
    after: (bits, near = NEAR) =>
      best(bits, (hit) => (hit.start >= end ? nearness(end, hit.start, near) : 0)),
  };
}

const ACT = kind.verify | kind.signin | kind.reset;

function wordFeatures({ occurrence, part, index }: Place): Partial<CodeVector> {
  const line = part.lines[index]!;
  const hits = withoutFalseCodes(line.hits);
  const side = sidesOf(line, occurrence, hits);
  const { text } = line;
  const bare = text.length - (occurrence.end - occurrence.start) <= 12;
  const prev = (bits: number, lines = 4) => nearLines(part, index, -1, lines, bits);
  const next = (bits: number, lines = 1) => nearLines(part, index, 1, lines, bits);
  const either = (bits: number, near?: number) => Math.max(side.before(bits, near), side.after(bits, near));
  const follows = text.slice(occurrence.end, occurrence.end + 20);
  return {
    strong_before: side.before(kind.strong),
    strong_after: side.after(kind.strong, 40),
    strong_prev: prev(kind.strong) * (bare ? 1 : 0.5),
    strong_next: bare ? next(kind.strong) : 0,
    code_before: side.before(kind.code),
    code_after: side.after(kind.code, 40),
    code_prev: prev(kind.code) * (bare ? 1 : 0.5),
    code_next: bare ? next(kind.code) : 0,
    pass_near: Math.max(either(kind.pass), bare ? prev(kind.pass, 2) : 0),
    act_near: either(ACT, 50),
    act_prev: prev(ACT),
    enter_before: side.before(kind.enter, 6),
    enter_near: Math.max(either(kind.enter, 40), prev(kind.enter, 2)),
    expire_near: Math.max(either(kind.expire, 80), prev(kind.expire, 3), next(kind.expire, 3)),
    share_near: Math.max(either(kind.share, 80), next(kind.share, 3), prev(kind.share, 3)),
    is_near: Number(
      /(?:\b(?:is|ist|est|es|é|è|er|är|on|jest|je|este|adalah|là|la)|[:：는은は为為是]|إلى|هو|है)\s?["“*(]*$/i.test(
        text.slice(Math.max(0, occurrence.start - 12), occurrence.start),
      ),
    ),
    order_before: Math.max(side.before(kind.order, 15), side.after(kind.order, 4)),
    order_prev: bare && !codesIn(part, index - 1) ? prev(kind.order, 1) : 0,
    promo_near: either(kind.promo, 40),
    promo_prev: Math.max(prev(kind.promo, 2), next(kind.promo, 2)),
    badcode_near: Math.max(spread(line, kind.badcode, occurrence), bare ? prev(kind.badcode, 2) : 0),
    ending_before: side.before(kind.ending, 12),
    stale_before: side.before(kind.stale, 25),
    negate_before: side.before(kind.negate, 6),
    example_before: side.before(kind.example, 15),
    unit_after: /^\s?\p{L}/u.test(follows) ? side.after(kind.unit, 4) : 0,
    month_near: either(kind.month, 4),
    phone_near: either(kind.phone, 8),
    street_near: either(kind.street, 10),
  };
}

const hasBit = (hits: Hit[], bits: number) => hits.some(({ kinds }) => kinds & bits);
const codesIn = (part: Part, index: number) => hasBit(part.lines[index]?.hits ?? [], kind.code | kind.strong);

/** Code words that belong to "promotion code", "postal code" or "order code" say nothing of a sign-in. */
function withoutFalseCodes(hits: Hit[]): Hit[] {
  const bad = hits.filter(({ kinds }) => kinds & kind.badcode);
  if (bad.length === 0) return hits;
  const inside = (hit: Hit) => bad.some(({ start, end }) => hit.start < end && start < hit.end);
  return hits.filter(
    (hit) => !(hit.kinds & (kind.code | kind.strong)) || hit.kinds & kind.badcode || !inside(hit),
  );
}

function spread(line: ReadLine, bits: number, occurrence: Occurrence): number {
  const side = sidesOf(line, occurrence, line.hits);
  return Math.max(side.before(bits, 30), side.after(bits, 20));
}

/** A word in the lines before or after: 1 in the next one, less further off. */
function nearLines(part: Part, index: number, step: 1 | -1, lines: number, bits: number): number {
  let seen = 0;
  for (let at = index + step; at >= 0 && at < part.lines.length && seen < lines; at += step) {
    const line = part.lines[at]!;
    if (line.text === '') continue;
    seen++;
    if (hasBit(withoutFalseCodes(line.hits), bits)) return 1 - (seen - 1) * 0.2;
  }
  return 0;
}
