import type { SearchToken } from '../../../rules/search-language.ts';

/** The search of messages, and what it suggests. */
export default {
  title: 'Search mail',
  clear: 'Clear search',
  suggestions: 'Suggestions',
  filters: { unread: 'Unread', code: 'Codes', link: 'Links', attachment: 'Attachments' },
  /** What each token takes. */
  tokens: {
    from: 'the sender',
    to: 'a recipient in To, or the address that the message came to',
    cc: 'a recipient in Cc',
    subject: 'the subject',
    body: 'the text',
    inbox: 'the inbox’s address or label',
    code: 'the one-time code',
    filename: 'the name of an attachment',
    is: 'whether it was read',
    has: 'what it has; link: a sign-in link',
    before: 'received before a date (UTC) or an ISO time',
    after: 'received at a date (UTC) or an ISO time, or later',
    larger: 'more bytes than this, such as 200k or 2m',
    smaller: 'fewer bytes than this',
    tag: 'has this tag',
  } satisfies Record<SearchToken, string>,
  days: { today: 'today', yesterday: 'yesterday', week: 'a week ago', month: 'a month ago' },
  misread: {
    unknown: (token: string) => `No such token “${token}:”. Searched as text.`,
    choice: (token: string, choices: string) => `“${token}:” must be one of ${choices}. Searched as text.`,
    time: (token: string) =>
      `“${token}:” must be a date such as 2026-11-22, or an ISO time. Searched as text.`,
    size: (token: string) =>
      `“${token}:” must be a number of bytes, such as 2000, 200k or 2m. Searched as text.`,
  },
  noMatch: {
    title: 'No matching messages',
    body: 'All words and filters must match. Try fewer, or a part of a word.',
    without: (term: string) => `Without ${term}`,
    everywhere: 'Search all mail',
    searched: (characters: string) =>
      `Searched: subject, sender, recipients, codes, and the first ${characters} characters of the text.`,
  },
};
