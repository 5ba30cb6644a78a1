/** What an empty list shows. */
export default {
  label: 'First steps',
  noMail: 'No mail yet',
  noMailHere: 'This inbox has no mail',
  waiting: 'Waiting for your first mail',
  aboutTrap:
    'Point your app at the SMTP server below. Every address is accepted, and each mail appears here as it arrives.',
  aboutNew: 'Create an inbox, or open one, to get an address that receives mail.',
  aboutInbox: 'Mail for this address appears here as it arrives.',
  create: 'Create an inbox',
  reference: 'API reference',
  send: 'Send a test mail',
  sent: (address: string) => `Test mail sent to ${address}`,
  point: 'Point your app at this server',
  replaceKey: 'Replace YOUR_API_KEY with an API key of this account (Account, API keys).',
  read: 'Read the code in your test',
  wait: 'Wait up to 25 seconds for the code',
  newest: 'The newest message',
  command: 'Command',
  fields: 'The code is in {code}, a magic link in {link}.',
};
