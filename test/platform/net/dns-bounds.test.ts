/** DNS answers that try to waste their reader’s time. */
import { describe, expect, test } from 'bun:test';
import { makeResolver } from '../../../src/platform/net/dns.ts';
import { startDnsServer } from '../../peers/dns-server.ts';

describe('an answer', () => {
  test('with a name that is a chain of pointers is rejected: following thousands per record would take too long', async () => {
    await using server = await startDnsServer();
    const kinds: string[] = [];
    for (const links of [100, 200]) {
      server.set('one.test', 'A', { alter: (message) => chained(message, links) });
      kinds.push((await makeResolver([server]).a('one.test')).kind);
    }
    expect(kinds).toEqual(['answer', 'servfail']);
  });

  test('with an absurd number of records is not read', async () => {
    await using server = await startDnsServer();
    const records = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ type: 'MX' as const, data: `${at} m${at}.one.test` }));
    const mx = async (count: number) => {
      server.set('one.test', 'MX', { isTruncated: true, records: records(count) });
      return makeResolver([server]).mx('one.test');
    };
    expect(await mx(200)).toMatchObject({ kind: 'answer', records: { length: 200 } });
    expect((await mx(201)).kind).toBe('servfail');
  });
});

/**
 * A message with two answers: a record of unknown type that holds pointers, each to the previous one, and an address.
 */
function chained(question: Buffer, links: number): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(2, 6);
  const record = (owner: number, type: number, data: Buffer) => {
    const bytes = Buffer.from([0, 0, type >> 8, type & 255, 0, 1, 0, 0, 0, 60, 0, 0]);
    bytes.writeUInt16BE(0xc000 | owner, 0);
    bytes.writeUInt16BE(data.length, 10);
    return Buffer.concat([bytes, data]);
  };
  const nameAt = 12;
  const chainAt = head.length + 12;
  const chain = Buffer.alloc(2 * links);
  for (let link = 0; link < links; link++) {
    chain.writeUInt16BE(0xc000 | (link === 0 ? nameAt : chainAt + 2 * (link - 1)), 2 * link);
  }
  const lastAt = chainAt + 2 * (links - 1);
  return Buffer.concat([head, record(nameAt, 65_280, chain), record(lastAt, 1, Buffer.from([192, 0, 2, 1]))]);
}
