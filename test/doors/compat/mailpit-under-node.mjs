// Run by Node, not by Bun (node.test.ts): changes mail at the given address with Mailpit's client, and prints what is left.
import { MailpitClient } from 'mailpit-api';

const mailpit = new MailpitClient(process.argv[2]);
const send = (Subject) =>
  mailpit.sendMessage({ From: { Email: 'app@example.com' }, To: [{ Email: 'jane@example.org' }], Subject });
const { ID: read } = await send('Read');
await send('Searched');
const { ID: deleted } = await send('Deleted');
await mailpit.setReadStatus({ IDs: [read], Read: true });
await mailpit.deleteMessagesBySearch({ query: 'subject:Searched' });
await mailpit.deleteMessages({ IDs: [deleted] });
const { messages } = await mailpit.listMessages();
console.log(JSON.stringify(messages.map(({ Subject, Read }) => [Subject, Read])));
