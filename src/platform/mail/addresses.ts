import addressparser from 'nodemailer/lib/addressparser';

/** The addresses of a header such as To, including those in groups: `Team: a@x.example, Ann <b@x.example>;` has two. */
export function readAddresses(header: string): string[] {
  return addressparser(header, { flatten: true })
    .map(({ address }) => address)
    .filter((address) => address.includes('@'));
}
