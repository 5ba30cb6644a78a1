import { number } from '../amounts.ts';

/** A conversation, and the dialogs that write an email. */
export default {
  thread: {
    title: (count: number) => `Conversation of ${number(count)} messages`,
    received: 'Received',
    sent: 'Sent',
    to: (name: string) => `to ${name}`,
    later: 'Load later messages',
  },
  /** Common to all three. */
  letter: {
    about: 'The message is sent from {address}.',
    to: 'To',
    cc: 'Cc',
    subject: 'Subject',
    text: 'Message',
    attach: 'Attach files…',
    remove: (name: string) => `Remove ${name}`,
    tooMuch: (files: number, bytes: string) => `At most ${number(files)} files with ${bytes} in total.`,
    gone: 'It was not sent: the message or its inbox has been deleted. Copy your text before you close this.',
    lost: (names: string) => `Attached files are not kept in a draft. Attach again: ${names}`,
    send: 'Send',
    queued: 'Message queued',
  },
  reply: {
    title: 'Reply',
    about: 'To {recipient}, from {address}.',
    all: 'Reply to all recipients',
  },
  compose: 'New message',
  forwarding: {
    title: 'Forward message',
    note: 'Note',
    noteHint: 'Added above the message.',
    way: 'Original message',
    ways: {
      quoted: 'Quoted, without its attachments',
      kept: 'Quoted, with its attachments',
      attached: 'As an attachment, unchanged',
    },
  },
};
