// Run by Node, not by Bun (node-mailer.ts): reads a mail as JSON from stdin, and prints the outcome as JSON.
import { text } from 'node:stream/consumers';
import { createTransport } from 'nodemailer';

const mail = JSON.parse(await text(process.stdin));
const transport = createTransport({
  host: '127.0.0.1',
  tls: { rejectUnauthorized: false },
  ...mail.transport,
});
let result;
try {
  const info = await transport.sendMail(mail.message);
  result = { accepted: info.accepted, rejected: info.rejected, response: info.response, response_code: null };
} catch (fault) {
  const refused = fault.rejected ?? [];
  result = {
    accepted: [],
    rejected: refused,
    response: fault.response ?? fault.message,
    response_code: fault.responseCode ?? null,
  };
}
process.stdout.write(JSON.stringify(result));
