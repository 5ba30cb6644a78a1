/** The placeholders of a notice's template (docs/rules.md). */
export const placeholders = {
  from: 'the From header',
  to: 'the recipient, with its +tag',
  subject: 'the subject',
  code: 'the one-time code; empty without one',
  link: 'the magic link; empty without one',
  text: 'the beginning of the text',
  inbox: 'the address of the inbox',
  message_id: 'the id of the message (GET /messages/{id})',
  received_at: 'when it came, ISO 8601',
  rule: 'the name of the rule',
} as const;

/** Templates to start from. In each, nothing that a sender writes has an effect as formatting or as a mention. */
export const noticeExamples = {
  ntfy: {
    url: 'https://ntfy.sh/',
    template: { topic: 'my-topic', title: '{{subject}}', message: '{{from}}\n{{text}}' },
  },
  gotify: {
    url: 'https://gotify.example.com/message?token=TOKEN',
    template: { title: '{{subject}}', message: '{{from}}: {{text}}', priority: 5 },
  },
  slack: {
    url: 'https://hooks.slack.com/services/…',
    template: {
      text: 'New mail in {{inbox}}',
      blocks: [{ type: 'section', text: { type: 'plain_text', text: '{{from}}: {{subject}} {{code}}' } }],
    },
  },
  discord: {
    url: 'https://discord.com/api/webhooks/…',
    template: { content: '{{from}}: {{subject}} {{code}}', allowed_mentions: { parse: [] } },
  },
} as const;
