import { describe, expect, test } from 'bun:test';
import { type Connection, sweepConnections } from '../../../src/doors/smtp/connections.ts';
import { ConnectionGate, type ConnectionGateBounds, type GateVisitor } from '../../../src/doors/smtp/gate.ts';
import { FakeClock } from '../../peers/fake-clock.ts';

const clock = new FakeClock();

function makeGate(bounds: Partial<ConnectionGateBounds> = {}) {
  let nowMs = 0;
  const all = { connections: 500, perIp: 3, perIpPerMinute: null, ...bounds };
  const gate = new ConnectionGate(all, () => nowMs);
  let next = 0;
  const dismissed: string[] = [];
  /** The verdict and the session's id. */
  const enter = (address: string, stake: ReturnType<GateVisitor['stake']> = 'mail') => {
    const id = `s${next++}`;
    const visitor = { id, address, stake: () => stake, dismiss: () => void dismissed.push(id) };
    return { id, refused: gate.admit(visitor, clock.nowUs()) };
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  /** How many of these connections are admitted. */
  const count = (address: string, times: number) =>
    Array.from({ length: times }, () => enter(address)).filter(({ refused }) => refused === null).length;
  return { gate, enter, count, pass, dismissed };
}

describe('admission', () => {
  test('an address has a maximum of open connections, and may open another when one ends', () => {
    const { gate, enter } = makeGate();
    const open = ['192.0.2.1', '192.0.2.1', '192.0.2.1'].map((address) => enter(address));
    expect(open.map(({ refused }) => refused)).toEqual([null, null, null]);
    expect(enter('192.0.2.1').refused).toBe('too_many_connections');
    expect(enter('192.0.2.2').refused).toBeNull();
    gate.leave(open[1]!.id);
    expect(enter('192.0.2.1').refused).toBeNull();
    expect(enter('192.0.2.1').refused).toBe('too_many_connections');
  });

  test('a refused or unknown connection frees no place when it leaves', () => {
    const { gate, enter, count } = makeGate();
    expect(count('192.0.2.1', 5)).toBe(3);
    const refused = enter('192.0.2.1');
    gate.leave(refused.id);
    gate.leave('nobody');
    expect(enter('192.0.2.1').refused).toBe('too_many_connections');
  });

  test('a network of IPv6 (/64) counts as one, however its addresses are written', () => {
    for (const [one, other] of [
      ['2001:db8:0:1::1', '2001:db8:0:1:ffff:ffff:ffff:ffff'],
      ['2001:db8::1', '2001:db8::2:0:0:1'],
      ['2001:db8::1', '2001:db8::'],
      ['fe80::1%eth0', 'fe80::2%eth1'],
    ] as const) {
      const gate = makeGate();
      expect(gate.count(one, 2)).toBe(2);
      expect({ other, admitted: gate.count(other, 2) }).toEqual({ other, admitted: 1 });
      expect(gate.count('2001:db8:0:2::1', 2)).toBe(2);
    }
  });

  test('an IPv6 site (/48) may have four times as many as one of its networks, from any of them', () => {
    const networks = Array.from({ length: 20 }, (_, index) => `2001:db8:5:${index.toString(16)}::1`);
    const many = makeGate();
    expect(networks.filter((address) => many.enter(address).refused === null)).toHaveLength(12);
    expect(many.enter('2001:db8:6::1').refused).toBeNull();
    const often = makeGate({ perIp: 1000, perIpPerMinute: 2 });
    expect(networks.map((address) => often.enter(address).refused).lastIndexOf(null)).toBe(7);
    expect(often.enter('2001:db8:5:ff::1').refused).toBe('too_many_connects');
  });

  test('loopback is not counted', () => {
    const bounds = { perIp: 1, perIpPerMinute: 1 };
    for (const address of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']) {
      expect({ address, admitted: makeGate(bounds).count(address, 30) }).toEqual({ address, admitted: 30 });
    }
    expect(makeGate(bounds).count('128.0.0.1', 30)).toBe(1);
    expect(makeGate(bounds).count('::2', 30)).toBe(1);
  });

  test('new connections of an address are counted by the minute', async () => {
    const { gate, enter } = makeGate({ perIpPerMinute: 5 });
    const comeAndGo = () => {
      const { id, refused } = enter('192.0.2.1');
      gate.leave(id);
      return refused;
    };
    expect(Array.from({ length: 7 }, comeAndGo).filter((refused) => refused === null)).toHaveLength(5);
    await clock.advance(59_999);
    expect(comeAndGo()).toBe('too_many_connects');
    await clock.advance(1);
    expect(comeAndGo()).toBeNull();
  });

  test('all connections together have a bound, loopback included', () => {
    const { gate, enter, count } = makeGate({ connections: 4 });
    expect(count('127.0.0.1', 3)).toBe(3);
    const last = enter('192.0.2.1');
    expect(last.refused).toBeNull();
    expect(enter('127.0.0.1').refused).toBe('server_full');
    gate.leave(last.id);
    expect(enter('127.0.0.1').refused).toBeNull();
  });
});

describe('a full listener', () => {
  test('ends the longest-silent session without an envelope, and lets the next client in', () => {
    const { gate, enter, dismissed } = makeGate({ connections: 4 });
    const [first, , third] = [
      enter('192.0.2.1', 'nothing'),
      enter('192.0.2.2', 'mail'),
      enter('192.0.2.3', 'nothing'),
      enter('192.0.2.4', 'nothing'),
    ];
    gate.touch(first!.id);
    expect(enter('192.0.2.5', 'mail').refused).toBeNull();
    expect(dismissed).toEqual([third!.id]);
    // Its slot was freed at once; closing it later frees no other.
    gate.leave(third!.id);
    expect(enter('192.0.2.6', 'mail').refused).toBeNull();
    expect(enter('192.0.2.7', 'mail').refused).toBeNull();
    expect(dismissed).toHaveLength(3);
    expect(enter('192.0.2.8', 'mail').refused).toBe('server_full');
  });

  test('ends a session with an envelope only after ten seconds of silence, and one with a message never', () => {
    const { gate, enter, dismissed, pass } = makeGate({ connections: 2 });
    enter('192.0.2.1', 'mail');
    const begun = enter('192.0.2.2', 'envelope');
    pass(9_000);
    gate.touch(begun.id);
    pass(9_999);
    expect(enter('192.0.2.3').refused).toBe('server_full');
    pass(1);
    expect(enter('192.0.2.3').refused).toBeNull();
    expect(dismissed).toEqual([begun.id]);
    pass(100_000);
    expect(enter('192.0.2.4').refused).toBe('server_full');
  });

  test('a client with too many connections ends nobody else’s', () => {
    const { enter, dismissed } = makeGate({ connections: 3, perIp: 1 });
    enter('192.0.2.1', 'nothing');
    enter('192.0.2.2', 'nothing');
    enter('192.0.2.3', 'nothing');
    expect(enter('192.0.2.1').refused).toBe('too_many_connections');
    expect(dismissed).toEqual([]);
  });
});

describe('the sweep', () => {
  const bounds = { sessionS: 600, dataBytesPerS: 500 };

  /** What the sweep reads of a connection, and what it sends to it. */
  function makeConnection(state: {
    inData: boolean;
    bytes: number;
    atCommit?: boolean;
    bareDotLine?: boolean;
  }) {
    const said: number[] = [];
    const parser = { _dataMode: state.inData, dataBytes: state.bytes };
    const tally = { isHeld: false };
    const hold = (isHeld: boolean) => {
      tally.isHeld = isHeld;
    };
    const connection = {
      _parser: parser,
      _dataStream: state.inData || state.atCommit ? { bareDotLine: state.bareDotLine ?? false } : false,
      sinceMs: 0,
      tally,
      send: (code: number) => void said.push(code),
      close: () => {},
    } as unknown as Connection;
    const sweep = (nowMs: number) => {
      sweepConnections([connection], bounds, nowMs);
      return said.length;
    };
    /** The next message's DATA. */
    const begin = () => {
      parser._dataMode = true;
      parser.dataBytes = 0;
      connection._dataStream = { bareDotLine: false, cutOffBy: null };
    };
    return { parser, said, sweep, begin, hold };
  }

  test('a transfer below the minimum speed is ended after its grace period', () => {
    const slow = makeConnection({ inData: true, bytes: 0 });
    expect(slow.sweep(1_000)).toBe(0);
    slow.parser.dataBytes = 4_000;
    expect(slow.sweep(10_900)).toBe(0);
    expect(slow.sweep(11_100)).toBe(1);
    expect(slow.said).toEqual([421]);
  });

  test('a client that waits after a lone dot between bare line feeds is told what is wrong', () => {
    const waiting = makeConnection({ inData: true, bytes: 40, bareDotLine: true });
    expect(waiting.sweep(1_000)).toBe(0);
    expect(waiting.sweep(11_100)).toBe(1);
    expect(waiting.said).toEqual([554]);
  });

  test('a transfer at the minimum speed continues, counted from its own start and not the session’s', () => {
    const steady = makeConnection({ inData: false, bytes: 0 });
    expect(steady.sweep(100_000)).toBe(0);
    steady.begin();
    for (let second = 101; second < 200; second++) {
      expect(steady.sweep(second * 1000)).toBe(0);
      steady.parser.dataBytes += 501;
    }
  });

  test('time in which we did not read a transfer does not count', () => {
    const held = makeConnection({ inData: true, bytes: 0 });
    expect(held.sweep(1_000)).toBe(0);
    held.hold(true);
    for (let second = 2; second < 40; second++) expect(held.sweep(second * 1000)).toBe(0);
    held.hold(false);
    expect(held.sweep(48_000)).toBe(0);
    expect(held.sweep(51_000)).toBe(1);
  });

  test('each message is timed on its own, even when no sweep happens between two', () => {
    const busy = makeConnection({ inData: false, bytes: 0 });
    for (let second = 1; second < 100; second++) {
      busy.begin();
      expect(busy.sweep(second * 1000)).toBe(0);
    }
    expect(busy.sweep(109_000)).toBe(0);
    expect(busy.sweep(110_000)).toBe(1);
  });

  test('a session is ended after its maximum time, but not while its message is being stored', () => {
    const idle = makeConnection({ inData: false, bytes: 0 });
    expect(idle.sweep(600_000)).toBe(0);
    expect(idle.sweep(600_001)).toBe(1);
    // If it said 421 and stored the message anyway, the sender would send it twice.
    const storing = makeConnection({ inData: false, bytes: 100, atCommit: true });
    expect(storing.sweep(700_000)).toBe(0);
  });
});
