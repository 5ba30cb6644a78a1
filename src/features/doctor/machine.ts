/** The machine: its disk and its clock. */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { isoTime, SECOND_US } from '../../platform/core/clock.ts';
import { HTTP_SHARE_MAX, RESERVE_SHARE } from '../../platform/net/connections.ts';
import { openDescriptors } from '../../platform/net/descriptors.ts';
import { bad, type Check, good, sizeText } from './check.ts';
import { lastArrival } from './sql.ts';

/** Under so many files and folders that can still be made, mail soon can't be taken. */
const FILES_LEFT_MIN = 1_000;

export const diskCheck: Check = {
  name: 'disk',
  async run({ settings, data_dir, store }) {
    const { bavail, bsize, files, ffree } = await statfs(data_dir);
    const free = bavail * bsize;
    const told = `${sizeText(free)} free for ${data_dir}`;
    const floor = sizeText(settings.disk_floor);
    if (store.reserve?.isSpent()) {
      const wanted = sizeText(Math.max(store.reserve.roomWantedBytes, settings.disk_floor));
      return bad(
        `The disk is full: ${told}. Mail is answered 452 until ${wanted} are free, and its senders try again. Delete ` +
          'messages or inboxes (API, dashboard), free space by other means, or move the data folder.',
      );
    }
    if (free < settings.disk_floor) {
      return bad(
        `${told}, under the floor of ${floor}: mail is answered 452, and its senders try again. Free some space, ` +
          'move the data folder, or set POSTERN_DISK_FLOOR.',
      );
    }
    if (free < 2 * settings.disk_floor) {
      return bad(`${told}; at ${floor} mail is no longer taken. Free some space, or move the data folder.`);
    }
    // Some file systems don't count files: 0 of 0.
    if (files > 0 && ffree < FILES_LEFT_MIN) {
      return bad(`${told}, but only ${ffree} more files can be made there (df -i). Remove some.`);
    }
    return good(`${told}; mail is taken down to ${floor}.`);
  },
};

export const descriptorsCheck: Check = {
  name: 'descriptors',
  async run({ settings: { http_connections } }) {
    const descriptors = openDescriptors();
    const { max } = descriptors;
    const open = descriptors.countOpen();
    if (!Number.isFinite(max) || open === 0) return good('This system does not limit them.');
    const told = `${open} of ${max} file descriptors are in use`;
    const remedy =
      'Raise the limit (LimitNOFILE= in the unit, ulimit -Hn in a shell), or close what holds them.';
    if (max - open < max * RESERVE_SHARE) {
      return bad(`${told}: HTTP takes no new connection, and mail soon can't be taken. ${remedy}`);
    }
    const httpMax = Math.floor(max * HTTP_SHARE_MAX);
    if (http_connections <= httpMax) return good(`${told}.`);
    return good(
      `${told}; HTTP takes at most ${httpMax} connections, not the ${http_connections} of POSTERN_HTTP_CONNECTIONS.`,
    );
  },
};

/** The year of this program: a clock before it is a machine without a battery that was not told the time. */
const NOT_BEFORE_US = Date.UTC(2026, 10, 1) * 1000;
const STEP_US = 5 * SECOND_US;

export const clockCheck: Check = {
  name: 'clock',
  async run({ clock, store }) {
    const nowUs = clock.nowUs();
    const remedy = 'Set it, and keep it set: timedatectl set-ntp true, or chrony.';
    if (nowUs < NOT_BEFORE_US) return bad(`The clock says ${isoTime(nowUs)}, which is past. ${remedy}`);
    const lastUs = lastArrival(store);
    if (lastUs > nowUs + STEP_US) {
      return bad(
        `The clock says ${isoTime(nowUs)}, but a message came at ${isoTime(lastUs)}: it was or is wrong. ${remedy}`,
      );
    }
    // systemd-timesyncd makes the folder when it runs, and the file once it has been told the time.
    if (existsSync('/run/systemd/timesync') && !existsSync('/run/systemd/timesync/synchronized')) {
      return bad(`The clock says ${isoTime(nowUs)}, and no time server has confirmed it. ${remedy}`);
    }
    return good(`${isoTime(nowUs)}.`);
  },
};
