import type { SearchToken } from '../../../rules/search-language.ts';

/** What the search suggests, and says when it finds nothing. */
export default {
  /** What each token takes. */
  tokens: {
    from: 'the sender',
    to: 'a recipient, or the address it reached',
    cc: 'a recipient in Cc',
    subject: 'the subject',
    body: 'the text',
    inbox: 'the inbox’s address or label',
    code: 'the one-time code',
    filename: 'the name of an attachment',
    is: 'read or unread',
    has: 'a code, link, attachment or HTML',
    before: 'before a date (UTC) or ISO time',
    after: 'since a date (UTC) or ISO time',
    larger: 'larger than a size: 200k, 2m',
    smaller: 'smaller than a size: 200k, 2m',
    tag: 'has this tag',
  } satisfies Record<SearchToken, string>,
  days: { today: 'today', yesterday: 'yesterday', week: 'a week ago', month: 'a month ago' },
  noMatch: {
    title: 'No matching messages',
    body: 'All words and filters must match. Try fewer, or a part of a word.',
    without: (term: string) => `Without ${term}`,
    everywhere: 'Search all mail',
    searched: (characters: string) =>
      `Searched: subject, sender, recipients, codes, and the first ${characters} characters of the text.`,
  },
};
