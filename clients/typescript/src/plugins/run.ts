/** The Postern of a test run: the one at `POSTERN_URL`, or one that is started for it. */
import { Postern } from '../postern.js';
import { type StartOptions, startPostern } from '../server.js';

export interface RunPostern {
  readonly client: Postern;
  /** Where the app under test must send its mail, such as `smtp://127.0.0.1:1025`. */
  readonly smtpUrl: string;
  /** Stops it if it was started here. */
  stop(): Promise<void>;
}

/** The standard ports of a trap (docs/testing.md). */
export const TRAP_PORTS = { http: 8025, smtp: 1025 };

export async function openPostern(options: StartOptions = {}): Promise<RunPostern> {
  if (process.env.POSTERN_URL) {
    const client = new Postern();
    const { hostname } = new URL(client.url);
    const smtpUrl = process.env.POSTERN_SMTP_URL || `smtp://${hostname}:${TRAP_PORTS.smtp}`;
    return { client, smtpUrl, stop: async () => {} };
  }
  const { client, smtp, stop } = await startPostern(options);
  return { client, smtpUrl: smtp.url, stop };
}

/** Opens the Postern of the run, and puts its address into the environment for child processes. */
export async function openForRun(options?: StartOptions): Promise<RunPostern> {
  if (process.env.POSTERN_URL) {
    const running = await openPostern();
    process.env.POSTERN_SMTP_URL ||= running.smtpUrl;
    return running;
  }
  const { client, url, apiKey, smtp, stop } = await startPostern(options);
  Object.assign(process.env, { POSTERN_URL: url, POSTERN_API_KEY: apiKey, POSTERN_SMTP_URL: smtp.url });
  return { client, smtpUrl: smtp.url, stop };
}
