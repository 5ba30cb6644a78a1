import { fail } from '../../platform/core/failure.ts';
import { parseAddress, toInboxAddress } from '../../platform/mail/address.ts';
import { type Mailbox, makeMailboxKey, NoMailbox, readMailbox } from '../../platform/mail/mailbox.ts';
import type { ParsedContent } from '../../platform/mail/parsed.ts';
import type { Addressing } from './addressing.ts';

/** The message that is being replied to. */
export interface Original {
  from: string;
  to: readonly string[];
  cc: readonly string[];
  content: Pick<ParsedContent, 'answer_to' | 'reply_to'>;
}

/** The addresses of the replying inbox, which get no copy of a reply to all. */
export type Self = readonly string[];

/**
 * Returns who gets a reply: the original's Reply-To, or its From. With `all`, its other recipients get a copy. Leaves
 * out addresses that no mail can be sent to, and fails with reply_target_invalid if none is left.
 */
export function readReplyRecipients(
  original: Original,
  self: Self,
  { all, cc }: { all: boolean; cc: readonly Mailbox[] },
): Addressing {
  const { answer_to, reply_to } = original.content;
  // Older versions stored several addresses as one text, of which this finds the last.
  const targets = parseMailboxes(answer_to ?? [reply_to ?? original.from]);
  const others = targets.filter((mailbox) => !isSelf(mailbox, self));
  // A reply to your own message goes to yourself.
  const to = others.length > 0 ? others : targets;
  if (to.length === 0) fail('reply_target_invalid');
  const copies = all
    ? parseMailboxes([...original.to, ...original.cc]).filter((mailbox) => !isSelf(mailbox, self))
    : [];
  return { to, cc: [...cc, ...copies], bcc: [] };
}

/** Reads addresses as platform/mail/parse.ts writes them (`Name <addr>`, unquoted). Drops unusable ones. */
function parseMailboxes(written: readonly string[]): Mailbox[] {
  return written.flatMap((text) => {
    const [, name = '', email = text] = /^(.*)<([^<>]*)>$/su.exec(text) ?? [];
    try {
      return [{ ...readMailbox(email), name: cleanName(name.trimEnd()) }];
    } catch (thrown) {
      if (thrown instanceof NoMailbox) return [];
      throw thrown;
    }
  });
}

/** Returns a stranger's name in a form that is safe in our header; empty if it can't be made safe. */
function cleanName(name: string): string {
  try {
    return readMailbox(`"${name.replace(/["\\]/g, '\\$&')}" <name@example.com>`).name;
  } catch (thrown) {
    if (thrown instanceof NoMailbox) return '';
    throw thrown;
  }
}

function isSelf({ email }: Mailbox, self: Self): boolean {
  const makeKey = (address: string) => {
    const parsed = parseAddress(address);
    return parsed ? toInboxAddress(parsed) : makeMailboxKey(address);
  };
  return self.some((address) => makeKey(address) === makeKey(email));
}
