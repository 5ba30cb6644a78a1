import addressparser from 'nodemailer/lib/addressparser';

/** Lists the addresses of a header such as To. `Team: a@x.example, Ann <b@x.example>;`, a group, has two. */
export function readAddresses(header: string): string[] {
  return addressparser(header, { flatten: true })
    .map(({ address }) => address)
    .filter((address) => address.includes('@'));
}
