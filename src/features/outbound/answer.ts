import { fail } from '../../platform/core/failure.ts';
import { inboxAddress, parseAddress } from '../../platform/mail/address.ts';
import { type Mailbox, mailboxKey, NoMailbox, readMailbox } from '../../platform/mail/mailbox.ts';
import type { ParsedContent } from '../../platform/mail/parsed.ts';
import type { Addressing } from './addressing.ts';

/** Of the mail that is answered. */
export interface Original {
  from: string;
  to: readonly string[];
  cc: readonly string[];
  content: Pick<ParsedContent, 'answer_to' | 'reply_to'>;
}

/** The addresses of the inbox that answers: no answer to all goes to itself. */
export type Self = readonly string[];

/**
 * Whom an answer goes to: the original's Reply-To, else its From; with `all`, its other recipients get a copy.
 * What strangers wrote and nobody could send to is left out; reply_target_invalid when nobody is left.
 */
export function answerTo(original: Original, self: Self, all: boolean, cc: readonly Mailbox[]): Addressing {
  const { answer_to, reply_to } = original.content;
  // Of several in one text, as an older version stored them, this finds the last.
  const targets = mailboxesOf(answer_to ?? [reply_to ?? original.from]);
  const others = targets.filter((mailbox) => !isSelf(mailbox, self));
  // Who wrote to oneself gets the answer oneself.
  const to = others.length > 0 ? others : targets;
  if (to.length === 0) fail('reply_target_invalid');
  const copies = all
    ? mailboxesOf([...original.to, ...original.cc]).filter((mailbox) => !isSelf(mailbox, self))
    : [];
  return { to, cc: [...cc, ...copies], bcc: [] };
}

/** Of addresses as platform/mail/parse.ts gives them, `Name <addr>` without quotes, those that mail could go to. */
function mailboxesOf(written: readonly string[]): Mailbox[] {
  return written.flatMap((text) => {
    const [, name = '', email = text] = /^(.*)<([^<>]*)>$/su.exec(text) ?? [];
    try {
      return [{ ...readMailbox(email), name: readableName(name.trimEnd()) }];
    } catch (thrown) {
      if (thrown instanceof NoMailbox) return [];
      throw thrown;
    }
  });
}

/** A stranger's name as it may stand in a header of ours; none when it could be taken for something else. */
function readableName(name: string): string {
  try {
    return readMailbox(`"${name.replace(/["\\]/g, '\\$&')}" <name@example.com>`).name;
  } catch (thrown) {
    if (thrown instanceof NoMailbox) return '';
    throw thrown;
  }
}

function isSelf({ email }: Mailbox, self: Self): boolean {
  const key = (address: string) => {
    const parsed = parseAddress(address);
    return parsed ? inboxAddress(parsed) : mailboxKey(address);
  };
  return self.some((address) => key(address) === key(email));
}
