/** An address in the form of Go's net/mail, which Mailpit returns. */
export interface ListedAddress {
  Name: string;
  Address: string;
}

/** Parses one stored address: `Name <addr>`, or the bare address. */
export function readListed(written: string): ListedAddress {
  const opening = written.endsWith('>') ? written.lastIndexOf('<') : -1;
  if (opening < 0) return written.includes('@') ? makeListed('', written) : makeListed(written, '');
  return makeListed(written.slice(0, opening).trim(), written.slice(opening + 1, -1));
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

function makeListed(name: string, address: string): ListedAddress {
  return { Name: name.replace(/^"(.*)"$/, '$1'), Address: address };
}
