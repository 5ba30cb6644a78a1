/** A line of settings for a mailer that sends to a trap without TLS and without a login. The banner prints it. */
export interface MailerSettings {
  name: string;
  write(server: { host: string; port: number }): string;
}

export const mailers: readonly MailerSettings[] = [
  { name: 'any', write: ({ host, port }) => `SMTP_HOST=${host} SMTP_PORT=${port}` },
  {
    name: 'Node',
    write: ({ host, port }) => `nodemailer.createTransport({ host: '${host}', port: ${port} })`,
  },
  { name: 'Django', write: ({ host, port }) => `EMAIL_HOST = '${host}'; EMAIL_PORT = ${port}` },
  {
    name: 'Rails',
    write: ({ host, port }) => `config.action_mailer.smtp_settings = { address: '${host}', port: ${port} }`,
  },
  { name: 'Laravel', write: ({ host, port }) => `MAIL_MAILER=smtp MAIL_HOST=${host} MAIL_PORT=${port}` },
];
