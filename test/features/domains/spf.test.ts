/** The recommended SPF record, by how mail is sent. */
import { expect, test } from 'bun:test';
import { adviseSpf } from '../../../src/features/domains/spf.ts';

const advice = (url: string) => adviseSpf({ way: 'smarthost', url });

test('the SPF record names the host that delivers the mail', () => {
  expect(adviseSpf({ way: 'direct' })).toEqual({ mechanisms: ['mx'], note: null });
  expect(advice('smtp://user:secret@relay.example.net:587')).toEqual({
    mechanisms: ['mx', 'a:relay.example.net'],
    note:
      'Mail goes out through relay.example.net. If its operator publishes an include: for SPF, use it instead of ' +
      'a:relay.example.net.',
  });
  expect(advice('smtps://198.41.0.4').mechanisms).toEqual(['mx', 'ip4:198.41.0.4']);
  expect(advice('smtp://[2001:503:ba3e::2:30]:25').mechanisms).toEqual(['mx', 'ip6:2001:503:ba3e::2:30']);
});

test('the SPF record omits names that nobody outside can look up', () => {
  for (const host of ['10.0.0.2', '[fd00::1]', 'postfix', 'relay.internal']) {
    expect(advice(`smtp://user:secret@${host}:25`)).toEqual({
      mechanisms: ['mx'],
      note: `Mail goes out through ${host.replace(/[[\]]/g, '')}. Add the addresses from which it sends.`,
    });
  }
  // A smarthost on the same machine sends from our address.
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    expect(advice(`smtp://${host}:25`)).toEqual({ mechanisms: ['mx'], note: null });
  }
});
