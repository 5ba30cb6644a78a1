/** swaks, the Perl program with which administrators test mail servers. It has its own TLS and AUTH. */
import { haveTool, runTool, type ToolResult } from './tools.ts';

export const haveSwaks = () => haveTool('swaks');
export const haveSwaksWithTls = () => haveTool('swaks with TLS');

export interface SwaksMail {
  port: number;
  from: string;
  to: string[];
  /** The whole message; by default swaks creates one. */
  raw?: string;
  /** More options of swaks, such as `--tls` or `--auth-user`. */
  options?: string[];
}

/** Sends one mail. `output` is the transcript, and the exit code is 0 if the message was accepted. */
export function swaks(mail: SwaksMail): Promise<ToolResult> {
  const where = ['--server', '127.0.0.1', '--port', String(mail.port), '--timeout', '10'];
  const envelope = ['--from', mail.from, '--to', mail.to.join(','), '--helo', 'swaks.example'];
  const data = mail.raw === undefined ? [] : ['--data', '-'];
  return runTool(['swaks', ...where, ...envelope, ...data, ...(mail.options ?? [])], mail.raw);
}
