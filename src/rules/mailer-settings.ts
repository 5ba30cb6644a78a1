/** An SMTP server, for the settings of mailers. */
interface MailServer {
  host: string;
  port: number;
  /** Whether it has TLS from the first byte. */
  tls: boolean;
  /** The login for AUTH; null if none is needed. */
  user: { name: string; password: string } | null;
}

/** The SMTP settings of a framework, as a project's file has them. The dashboard shows them to copy. */
export interface FrameworkSettings {
  name: string;
  /** The file for them. */
  file: string;
  write(server: MailServer): string;
}

const lines = (...list: (string | false | null)[]) =>
  list.filter((line) => line !== false && line !== null).join('\n');

export const frameworks: readonly FrameworkSettings[] = [
  {
    name: 'Nodemailer',
    file: 'mailer.js',
    write: ({ host, port, tls, user }) =>
      lines(
        'const transport = nodemailer.createTransport({',
        `  host: '${host}',`,
        `  port: ${port},`,
        tls && '  secure: true,',
        user && `  auth: { user: '${user.name}', pass: '${user.password}' },`,
        '});',
      ),
  },
  {
    name: 'Django',
    file: 'settings.py',
    write: ({ host, port, tls, user }) =>
      lines(
        "EMAIL_BACKEND = 'django.core.mail.backends.smtp.EmailBackend'",
        `EMAIL_HOST = '${host}'`,
        `EMAIL_PORT = ${port}`,
        user && `EMAIL_HOST_USER = '${user.name}'`,
        user && `EMAIL_HOST_PASSWORD = '${user.password}'`,
        tls ? 'EMAIL_USE_SSL = True' : user && 'EMAIL_USE_TLS = True',
      ),
  },
  {
    name: 'Rails',
    file: 'config/environments/development.rb',
    write: ({ host, port, tls, user }) =>
      lines(
        'config.action_mailer.delivery_method = :smtp',
        'config.action_mailer.smtp_settings = {',
        `  address: '${host}',`,
        `  port: ${port},`,
        tls && '  tls: true,',
        user && `  user_name: '${user.name}',`,
        user && `  password: '${user.password}',`,
        user && '  authentication: :plain,',
        '}',
      ),
  },
  {
    name: 'Laravel',
    file: '.env',
    write: ({ host, port, tls, user }) =>
      lines(
        'MAIL_MAILER=smtp',
        tls && 'MAIL_SCHEME=smtps',
        `MAIL_HOST=${host}`,
        `MAIL_PORT=${port}`,
        `MAIL_USERNAME=${user?.name ?? 'null'}`,
        `MAIL_PASSWORD=${user?.password ?? 'null'}`,
      ),
  },
  {
    name: 'Symfony',
    file: '.env',
    write: ({ host, port, tls, user }) => {
      const login = user ? `${user.name}:${user.password}@` : '';
      return `MAILER_DSN=${tls ? 'smtps' : 'smtp'}://${login}${host}:${port}`;
    },
  },
  {
    name: 'Spring Boot',
    file: 'application.properties',
    write: ({ host, port, tls, user }) =>
      lines(
        `spring.mail.host=${host}`,
        `spring.mail.port=${port}`,
        user && `spring.mail.username=${user.name}`,
        user && `spring.mail.password=${user.password}`,
        user && 'spring.mail.properties.mail.smtp.auth=true',
        tls
          ? 'spring.mail.properties.mail.smtp.ssl.enable=true'
          : user && 'spring.mail.properties.mail.smtp.starttls.enable=true',
      ),
  },
  {
    name: 'Go',
    file: 'main.go',
    write: ({ host, port, tls, user }) => {
      const auth = user && `smtp.PlainAuth("", "${user.name}", "${user.password}", "${host}")`;
      // SendMail has no TLS from the first byte.
      return tls
        ? lines(
            `conn, err := tls.Dial("tcp", "${host}:${port}", nil)`,
            `client, err := smtp.NewClient(conn, "${host}")`,
            auth && `err = client.Auth(${auth})`,
          )
        : lines(
            auth ? `auth := ${auth}` : 'var auth smtp.Auth // none is needed',
            `err := smtp.SendMail("${host}:${port}", auth, from, to, message)`,
          );
    },
  },
  {
    name: '.NET',
    file: 'Program.cs, with MailKit',
    write: ({ host, port, tls, user }) =>
      lines(
        'using var client = new SmtpClient();',
        `client.Connect("${host}", ${port}, SecureSocketOptions.${
          tls ? 'SslOnConnect' : user ? 'StartTls' : 'None'
        });`,
        user && `client.Authenticate("${user.name}", "${user.password}");`,
        'client.Send(message);',
      ),
  },
  {
    name: 'Phoenix',
    file: 'config/dev.exs',
    write: ({ host, port, tls, user }) =>
      lines(
        'config :my_app, MyApp.Mailer,',
        '  adapter: Swoosh.Adapters.SMTP,',
        `  relay: "${host}",`,
        user && `  username: "${user.name}",`,
        user && `  password: "${user.password}",`,
        `  auth: ${user ? ':always' : ':never'},`,
        tls ? '  ssl: true,' : `  tls: ${user ? ':always' : ':never'},`,
        `  port: ${port}`,
      ),
  },
  {
    name: 'PHP mail()',
    file: 'php.ini',
    write: ({ host, port, tls, user }) =>
      user
        ? lines(
            '; mail() itself does not sign in: send through msmtp, with these lines in ~/.msmtprc',
            `;   account default`,
            `;   host ${host}`,
            `;   port ${port}`,
            `;   auth on`,
            `;   user ${user.name}`,
            `;   password ${user.password}`,
            `;   tls on`,
            tls && `;   tls_starttls off`,
            'sendmail_path = "/usr/bin/msmtp -t"',
          )
        : `sendmail_path = "env POSTERN_SMTP=${host}:${port} postern sendmail -t -i"`,
  },
  {
    name: 'any',
    file: '.env',
    write: ({ host, port, user }) =>
      lines(
        `SMTP_HOST=${host}`,
        `SMTP_PORT=${port}`,
        user && `SMTP_USER=${user.name}`,
        user && `SMTP_PASSWORD=${user.password}`,
      ),
  },
];
