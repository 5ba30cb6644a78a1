/** Turns a mail server's reply, or an error instead of one, into a value. */
import { sending as rules } from '../../rules/sending.ts';
import { cleanText } from './clean-text.ts';
import { nameNetworkFault } from './network-fault.ts';

/** A reply, its lines joined. `code` is null if there was none; `text` then says why. */
export interface ServerReply {
  code: number | null;
  text: string;
}

/** An error of nodemailer, whose types omit most of these fields. */
export interface SmtpError extends Error {
  code?: string;
  /** The system's code, if `code` is nodemailer's own. */
  originalCode?: string;
  response?: string | false;
  responseCode?: number;
  command?: string | false;
  recipient?: string;
  rejectedErrors?: SmtpError[];
}

/** Whether a socket error is a fault of TLS. */
export function isTlsFault({ message, code = '' }: SmtpError): boolean {
  return (
    /^(ERR_(TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(VERIFY|GET))/.test(code) ||
    /\b(ssl|tls|certificate)\b/i.test(message)
  );
}

/** Returns the reply in an error or, if it has none, a description of the error. */
export function readFaultReply(fault: SmtpError): ServerReply {
  return fault.response ? readServerReply(fault.response) : { code: null, text: describeNetworkFault(fault) };
}

/** Reads `550-5.1.1 no\n550 5.1.1 such user` as 550 and `5.1.1 no such user`. */
export function readServerReply(response: string): ServerReply {
  const lines = response.split(/\r?\n/).map((line) => line.replace(/^\d{3}[ -]?/, ''));
  const [first = '', ...rest] = lines;
  const status = /^[245]\.\d{1,3}\.\d{1,3} /.exec(first)?.[0] ?? '';
  const others = rest.map((line) =>
    status !== '' && line.startsWith(status) ? line.slice(status.length) : line,
  );
  const code = Number(/^\d{3}/.exec(response)?.[0] ?? Number.NaN);
  return {
    code: Number.isNaN(code) ? null : code,
    text: cleanText([first, ...others].join(' '), rules.replyCharsKept),
  };
}

/** Describes an error without a reply. */
export function describeNetworkFault(fault: SmtpError): string {
  const code = fault.originalCode ?? fault.code ?? '';
  return cleanText(nameNetworkFault(code) ?? fault.message, rules.replyCharsKept);
}
