/** An SMTP server, for the settings of mailers that the banner and the dashboard show to copy. */
export interface MailServer {
  host: string;
  port: number;
  /** Whether it has TLS from the first byte. */
  tls: boolean;
  /** The login for AUTH; null if none is needed. */
  user: { name: string; password: string } | null;
}

export interface MailerSettings {
  name: string;
  write(server: MailServer): string;
}

export const mailers: readonly MailerSettings[] = [
  {
    name: 'any',
    write: ({ host, port, user }) =>
      `SMTP_HOST=${host} SMTP_PORT=${port}${user ? ` SMTP_USER=${user.name} SMTP_PASSWORD=${user.password}` : ''}`,
  },
  {
    name: 'Node',
    write: ({ host, port, tls, user }) => {
      const auth = user ? `, auth: { user: '${user.name}', pass: '${user.password}' }` : '';
      return `nodemailer.createTransport({ host: '${host}', port: ${port}${tls ? ', secure: true' : ''}${auth} })`;
    },
  },
  {
    name: 'Django',
    write: ({ host, port, tls, user }) => {
      const auth = user
        ? ` EMAIL_HOST_USER='${user.name}' EMAIL_HOST_PASSWORD='${user.password}' ${tls ? 'EMAIL_USE_SSL' : 'EMAIL_USE_TLS'}=True`
        : '';
      return `EMAIL_HOST='${host}' EMAIL_PORT=${port}${auth}`;
    },
  },
  {
    name: 'Rails',
    write: ({ host, port, tls, user }) => {
      const auth = user
        ? `, user_name: '${user.name}', password: '${user.password}', authentication: :plain`
        : '';
      return `config.action_mailer.smtp_settings = { address: '${host}', port: ${port}${tls ? ', tls: true' : ''}${auth} }`;
    },
  },
  {
    name: 'Laravel',
    write: ({ host, port, tls, user }) => {
      const auth = user ? ` MAIL_USERNAME=${user.name} MAIL_PASSWORD=${user.password}` : '';
      return `MAIL_MAILER=smtp MAIL_HOST=${host} MAIL_PORT=${port}${tls ? ' MAIL_SCHEME=smtps' : ''}${auth}`;
    },
  },
];
