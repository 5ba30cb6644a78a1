import addressparser from 'nodemailer/lib/addressparser';

/** Lists the addresses of a header such as To. `Team: a@x.example, Ann <b@x.example>;`, a group, has two. */
export function readAddresses(header: string): string[] {
  return addressparser(header, { flatten: true })
    .map(({ address }) => address)
    .filter((address) => address.includes('@'));
}

/** The same for a mail that a program of this machine wrote: a name alone, such as `root`, is an address at `host`. */
export function readLocalAddresses(header: string, host: string): string[] {
  return addressparser(header, { flatten: true })
    .map(({ address, name }) => completeAddress(address || name, host))
    .filter((address) => address.includes('@'));
}

/** Completes a name of this machine, such as `root`, to an address at `host`. Anything else stays as it is. */
export function completeAddress(address: string, host: string): string {
  return /^[\w.+-]+$/.test(address) ? `${address}@${host}` : address;
}
