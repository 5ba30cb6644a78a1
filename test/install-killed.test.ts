/** install.sh is killed at any moment: a whole version runs or can be started, and the next run finishes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOwnTarget } from '../scripts/targets.ts';
import { canMount, Machine, makeRelease } from './install-world.ts';

const dir = mkdtempSync(join(tmpdir(), 'postern-killed-'));
const releases = { one: join(dir, 'one'), two: join(dir, 'two') };
const archive = join(dir, `postern-2.0-${findOwnTarget()}.tar.gz`);
const store = 'var/lib/postern/postern.db';
const backups = 'var/backups/postern';
let places = 0;
const newPlace = (name: string) => join(dir, `${name}-${places++}`);

beforeAll(() => {
  makeRelease(releases.one, '1.0');
  makeRelease(releases.two, '2.0');
  Bun.spawnSync(['tar', '-czf', archive, '-C', dir, 'two']);
  const sum = new Bun.CryptoHasher('sha256').update(readFileSync(archive)).digest('hex');
  writeFileSync(join(dir, 'SHA256SUMS'), `${sum}  ${archive.slice(dir.length + 1)}\n`);
});
afterAll(() => rmSync(dir, { recursive: true }));

describe.skipIf(!canMount)('on a machine', () => {
  /** Makes a machine with version 1.0 installed and running, and a store. */
  let template: Machine;
  beforeAll(async () => {
    template = Machine.make(newPlace('machine'));
    const { output } = await template.run(releases.one);
    expect(output).toContain('Installed: Postern 1.0');
    mkdirSync(join(template.folder, 'var/lib/postern'), { recursive: true });
    writeFileSync(join(template.folder, store), 'mail');
  });
  const freshMachine = () => template.branchTo(newPlace('machine'));

  /**
   * Kills install.sh before each of its commands (or every `step`th), each time on a machine of its own, and checks what
   * is left. Then install.sh runs again, once for each different state of a machine. Returns how often it was killed.
   */
  async function killEverywhere(
    release: string,
    args: string[],
    checks: {
      killed(machine: Machine, place: number): void;
      again(machine: Machine, place: number, output: string): void;
    },
    step = 1,
  ): Promise<number> {
    template.countCommands();
    const commands = await freshMachine().listCommands(release, args);
    const places = commands.map((_, place) => place).filter((place) => place % step === 0);
    const known = new Set<string>();
    const attempt = async (place: number): Promise<void> => {
      const machine = freshMachine();
      try {
        const { exitCode } = await machine.runUntil(commands[place]!, release, args);
        expect([place, exitCode]).toEqual([place, 137]);
        checks.killed(machine, place);
        const state = machine.describeFiles();
        if (known.has(state)) return;
        known.add(state);
        const { output } = await machine.run(release, { args });
        checks.again(machine, place, output);
      } finally {
        rmSync(machine.folder, { recursive: true });
      }
    };
    const left = places.values();
    const worker = async () => {
      for (const place of left) await attempt(place);
    };
    await Promise.all([worker(), worker()]);
    return places.length;
  }

  const leftovers = (machine: Machine) =>
    machine.listLeftovers().filter((line) => !line.includes('postern-install.'));

  test('a version runs when install.sh is killed before any of its commands, and the next run finishes', async () => {
    const args = ['--from', archive];
    const killed = await killEverywhere(releases.two, args, {
      killed: (machine, place) =>
        expect({ place, active: machine.active, startable: machine.startable }).toEqual({
          place,
          active: expect.any(String),
          startable: expect.stringMatching(/^Postern [12]\.0$/),
        }),
      again(machine, place, output) {
        expect([place, output]).toEqual([place, expect.stringContaining('Upgraded: Postern 2.0')]);
        expect([place, machine.active, leftovers(machine)]).toEqual([place, 'Postern 2.0', []]);
      },
    });
    expect(killed).toBeGreaterThan(40);
  }, 120_000);

  test('install.sh returns to 1.0 even when it is killed while it installs a version that does not start', async () => {
    const broken = makeRelease(newPlace('release'), '3.0-broken');
    const checks = {
      killed: (machine: Machine, place: number) =>
        expect([place, machine.startable]).toEqual([
          place,
          expect.stringMatching(/^Postern (1\.0|3\.0-broken)$/),
        ]),
      again(machine: Machine, place: number, output: string) {
        expect([place, output]).toEqual([place, expect.stringContaining('running again: Postern 1.0')]);
        expect([place, machine.active, leftovers(machine)]).toEqual([place, 'Postern 1.0', []]);
      },
    };
    const killed = await killEverywhere(broken, [], checks, 2);
    expect(killed).toBeGreaterThan(20);
  }, 120_000);

  test('1.0 runs again by itself when install.sh is killed while it rolls back a version that changed the store', async () => {
    const broken = makeRelease(newPlace('release'), '3.0-migrates-broken');
    let restarted = 0;
    const checks = {
      killed(machine: Machine, place: number) {
        expect([place, machine.active]).toEqual([place, 'Postern 1.0']);
        if (machine.has('run/restarted')) restarted++;
      },
      again(machine: Machine, place: number, output: string) {
        expect([place, output]).toEqual([place, expect.stringContaining('running again: Postern 1.0')]);
        expect([place, machine.active, leftovers(machine)]).toEqual([place, 'Postern 1.0', []]);
        expect(readFileSync(join(machine.folder, store), 'utf8')).toBe('mail');
      },
    };
    await killEverywhere(broken, [], checks, 2);
    expect(restarted).toBeGreaterThan(3);
  }, 120_000);

  test('a version is on the disk before it has its name, and its name before systemd starts it', async () => {
    const machine = template.copyTo(newPlace('machine'));
    const log = (name: string, path: string) =>
      machine.replaceCommand(name, `#!/bin/sh\necho "${name} $*" >>/run/log\nexec ${path} "$@"\n`);
    cpSync(join(machine.folder, 'commands/systemctl'), join(machine.folder, 'run/systemctl'));
    log('systemctl', '/run/systemctl');
    for (const name of ['mv', 'sync']) log(name, `/bin/${name}`);
    const { output } = await machine.run(releases.two);
    expect(output).toContain('Upgraded: Postern 2.0');
    const ran = readFileSync(join(machine.folder, 'run/log'), 'utf8').split('\n');
    const places = [
      'sync /usr/local/bin/postern.new',
      'mv -f /usr/local/bin/postern.new /usr/local/bin/postern',
      'sync /usr/local/bin',
      'systemctl restart postern.service',
    ].map((command) => ran.indexOf(command));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  test('after a power cut during a rollback, the last backup that 1.0 can open is kept and named', async () => {
    const broken = makeRelease(newPlace('release'), '3.0-migrates-broken');
    const machine = freshMachine();
    const at = (path: string) => join(machine.folder, path);
    cpSync(at('usr/local/bin/postern'), at('usr/local/bin/postern.previous'));
    cpSync(join(broken, 'postern'), at('usr/local/bin/postern'));
    writeFileSync(at('usr/local/bin/postern.unproven'), '');
    mkdirSync(at(backups), { recursive: true });
    cpSync(at(store), at(`${backups}/before-upgrade.db`));
    writeFileSync(at(store), 'migrated');
    for (let run = 0; run < 2; run++) {
      const { output, exitCode } = await machine.run(broken);
      expect([exitCode, output]).toEqual([1, expect.stringContaining(`/${backups}/before-interrupted.db`)]);
      expect(readFileSync(at(`${backups}/before-interrupted.db`), 'utf8')).toBe('mail');
    }
    const mended = makeRelease(newPlace('release'), '3.1-migrates');
    expect((await machine.run(mended)).output).toContain('Upgraded: Postern 3.1-migrates');
    expect(readdirSync(at(backups))).toEqual(['before-upgrade.db']);
  });
});
