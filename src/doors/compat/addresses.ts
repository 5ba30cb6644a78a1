/** An address in the form of Go's net/mail, which Mailpit returns. */
export interface ListedAddress {
  Name: string;
  Address: string;
}

/** Parses one stored address: `Name <addr>`, or the bare address. A text without an `@` is a name. */
export function readListed(written: string): ListedAddress {
  const { name, bare } = splitWritten(written);
  if (name === null) return bare.includes('@') ? makeListed('', bare) : makeListed(bare, '');
  return makeListed(name, bare);
}

/** Splits a stored text that joins addresses with `, `. A comma inside a name does not separate. */
export function readJoined(written: string): ListedAddress[] {
  const listed: ListedAddress[] = [];
  let kept = '';
  for (const piece of written.split(', ')) {
    kept += kept === '' ? piece : `, ${piece}`;
    if (!kept.includes('@')) continue;
    listed.push(readListed(kept));
    kept = '';
  }
  if (kept !== '') listed.push(readListed(kept));
  return listed;
}

/** Returns the recipients that no header names: those in Bcc. */
export function listHiddenRecipients({ to, cc, recipients }: MailRecipients): string[] {
  const shown = new Set([...to, ...cc].map((written) => splitWritten(written).bare.toLowerCase()));
  return recipients.filter((recipient) => !shown.has(recipient.toLowerCase()));
}

interface MailRecipients {
  /** As stored: `Name <addr>`, or the bare address. */
  to: readonly string[];
  cc: readonly string[];
  /** As in the RCPT command. */
  recipients: readonly string[];
}

/** Splits `Name <addr>`. Without brackets there is no name. */
function splitWritten(written: string): { name: string | null; bare: string } {
  const opening = written.endsWith('>') ? written.lastIndexOf('<') : -1;
  if (opening < 0) return { name: null, bare: written };
  return { name: written.slice(0, opening).trim(), bare: written.slice(opening + 1, -1) };
}

function makeListed(name: string, address: string): ListedAddress {
  return { Name: name.replace(/^"(.*)"$/, '$1'), Address: address };
}
