import { fold } from '../../../rules/fold.ts';
import { foldSearched, type SearchPlace, type SearchTerm } from '../../../rules/search-language.ts';
import type { MessageFilter, SummaryRow } from '../sql.ts';
import { hasFeature, readField, type SearchedContent } from './document.ts';

/** A message as a search sees it. */
export interface FoundMessage extends SummaryRow {
  address: string;
  label: string;
}

type SearchMatcher = (row: FoundMessage, readContent: () => SearchedContent) => boolean;

/**
 * Returns a function that tells whether a message matches all terms and the filter. It reads the content last, and only
 * if a term depends on it.
 */
export function makeSearchMatcher(terms: readonly SearchTerm[], filter: MessageFilter): SearchMatcher {
  const columns = terms.filter((term) => !needsContent(term));
  const contents = terms.filter(needsContent);
  const passesFilter = makeFilterMatcher(filter);
  return (row, readContent) =>
    passesFilter(row) &&
    columns.every((term) => matchesTerm(row, term, readContent) !== term.not) &&
    contents.every((term) => matchesTerm(row, term, readContent) !== term.not);
}

const ofContent: readonly SearchPlace[] = ['any', 'body', 'filename'];

function needsContent(term: SearchTerm): boolean {
  return term.kind === 'text' && ofContent.includes(term.place);
}

/** Whether a message has what a term asks for. A negated term is not considered here. */
function matchesTerm(row: FoundMessage, term: SearchTerm, readContent: () => SearchedContent): boolean {
  switch (term.kind) {
    case 'text':
      return hasText(row, term.place, term.needle, readContent);
    case 'read':
      return (row.read_at !== null) === term.read;
    case 'has':
      return hasFeature[term.feature](row);
    case 'time':
      return term.side === 'after' ? row.received_at >= term.at : row.received_at < term.at;
    case 'size':
      return term.side === 'larger' ? row.size > term.bytes : row.size < term.bytes;
    case 'tag':
      return row.tags !== null && (JSON.parse(row.tags) as string[]).includes(term.tag);
  }
}

function hasText(
  row: FoundMessage,
  place: SearchPlace,
  needle: string,
  readContent: () => SearchedContent,
): boolean {
  switch (place) {
    case 'any':
      return (
        (['subject', 'from', 'to', 'cc', 'code'] as const).some((field) =>
          readField[field](row).includes(needle),
        ) || readContent().body.includes(needle)
      );
    case 'body':
      return readContent().body.includes(needle);
    case 'filename':
      return row.attachment_count > 0 && readContent().filename.includes(needle);
    case 'inbox':
      return isInbox(row, needle);
    default:
      return readField[place](row).includes(needle);
  }
}

/** Whether an inbox has the text in its address or label. */
export function isInbox({ address, label }: { address: string; label: string }, needle: string): boolean {
  return foldSearched(address).includes(needle) || foldSearched(label).includes(needle);
}

/** The filters that the API has besides `search`. They can be combined with it. */
function makeFilterMatcher({ has_otp, read, q, subject_contains, from }: MessageFilter) {
  const [word, inSubject, inFrom] = [q, subject_contains, from].map((text) => fold(text ?? ''));
  return (row: FoundMessage): boolean => {
    if (has_otp && row.otp === null) return false;
    if (read !== null && (row.read_at !== null) !== read) return false;
    const [subject, sender] = [fold(row.subject), fold(row.from)];
    return (
      subject.includes(inSubject!) &&
      sender.includes(inFrom!) &&
      (subject.includes(word!) || sender.includes(word!))
    );
  };
}
