/**
 * An unmodified smtp-server, in a thread, whose copy of the library src/doors/smtp/connections.ts does not patch. Posts its
 * port, then each message that it accepts.
 */
import { SMTPServer } from 'smtp-server';

declare const self: Worker;

const server = new SMTPServer({
  authOptional: true,
  onData(stream, _session, done) {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      self.postMessage(Buffer.concat(chunks).toString('latin1'));
      done();
    });
  },
});
server.on('error', () => {});
server.listen(0, '127.0.0.1', () => self.postMessage((server.server.address() as { port: number }).port));
