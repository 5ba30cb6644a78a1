/** Checks the machine: its disk, its file descriptors and its clock. */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { isoTime, SECOND_US } from '../../platform/core/clock.ts';
import { HTTP_SHARE_MAX, RESERVE_SHARE } from '../../platform/net/connections.ts';
import { openDescriptors } from '../../platform/net/descriptors.ts';
import { type Check, flag, formatSize, pass } from './check.ts';
import { readLastArrival } from './sql.ts';

/** With room for fewer new files and folders than this, the server will soon have to refuse mail. */
const FILES_LEFT_MIN = 1_000;

export const diskCheck: Check = {
  name: 'disk',
  async run({ settings, dataDir, store }) {
    const { bavail, bsize, files, ffree } = await statfs(dataDir);
    const free = bavail * bsize;
    const space = `${formatSize(free)} free for ${dataDir}`;
    const floor = formatSize(settings.disk_floor);
    if (store.reserve?.isSpent()) {
      const wanted = formatSize(Math.max(store.reserve.roomWantedBytes, settings.disk_floor));
      return flag(
        `The disk is full: ${space}. Mail is answered 452 until ${wanted} are free, and senders will retry. Delete ` +
          'messages or inboxes (in the dashboard or with the API), free other space, or move the data folder.',
      );
    }
    if (free < settings.disk_floor) {
      return flag(
        `${space}, less than the minimum of ${floor}: mail is answered 452, and senders will retry. Free some space, ` +
          'move the data folder, or lower POSTERN_DISK_FLOOR.',
      );
    }
    if (free < 2 * settings.disk_floor) {
      return flag(`${space}. Below ${floor}, no mail is accepted. Free some space, or move the data folder.`);
    }
    // Some file systems do not count files and report 0 of 0.
    if (files > 0 && ffree < FILES_LEFT_MIN) {
      return flag(`${space}, but only ${ffree} more files can be created there (df -i). Delete some files.`);
    }
    return pass(`${space}; mail is accepted down to ${floor}.`);
  },
};

export const descriptorsCheck: Check = {
  name: 'descriptors',
  async run({ settings: { http_connections } }) {
    const descriptors = openDescriptors();
    const { max } = descriptors;
    const open = descriptors.countOpen();
    if (!Number.isFinite(max) || open === 0) return pass('This system has no limit.');
    const usage = `${open} of ${max} file descriptors are in use`;
    const remedy =
      'Raise the limit (LimitNOFILE= in the unit, ulimit -Hn in a shell), or close the connections that use them up.';
    if (max - open < max * RESERVE_SHARE) {
      return flag(`${usage}: HTTP accepts no new connections, and mail will soon be refused. ${remedy}`);
    }
    const httpMax = Math.floor(max * HTTP_SHARE_MAX);
    if (http_connections <= httpMax) return pass(`${usage}.`);
    return pass(
      `${usage}. HTTP accepts at most ${httpMax} connections, not the ${http_connections} of POSTERN_HTTP_CONNECTIONS.`,
    );
  },
};

/**
 * About the time of this version. An earlier clock is that of a machine without a battery that has not synchronized.
 */
const NOT_BEFORE_US = Date.UTC(2026, 10, 1) * 1000;
const STEP_US = 5 * SECOND_US;

export const clockCheck: Check = {
  name: 'clock',
  async run({ clock, store }) {
    const nowUs = clock.nowUs();
    const remedy = 'Set the clock and keep it synchronized: timedatectl set-ntp true, or chrony.';
    if (nowUs < NOT_BEFORE_US)
      return flag(`The clock says ${isoTime(nowUs)}, which is in the past. ${remedy}`);
    const lastUs = readLastArrival(store);
    if (lastUs > nowUs + STEP_US) {
      return flag(
        `The clock says ${isoTime(nowUs)}, but a message arrived at ${isoTime(lastUs)}: it is or was wrong. ${remedy}`,
      );
    }
    // systemd-timesyncd creates the folder when it runs, and the file after its first synchronization.
    if (existsSync('/run/systemd/timesync') && !existsSync('/run/systemd/timesync/synchronized')) {
      return flag(`The clock says ${isoTime(nowUs)}, and no time server has confirmed it. ${remedy}`);
    }
    return pass(`${isoTime(nowUs)}.`);
  },
};
