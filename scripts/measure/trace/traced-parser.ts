/** The parser process, which notes when it gets a mail and when it sends the result. The argument is the file for the times. */
import { Channel } from '../../../src/platform/process/channel.ts';
import { FrameReader } from '../../../src/platform/process/frames.ts';
import { Stamps } from './stamps.ts';

const stamps = new Stamps(process.argv[2]!);
const { take } = FrameReader.prototype;
const { send } = Channel.prototype;

FrameReader.prototype.take = function (piece) {
  const frames = take.call(this, piece);
  if (frames.length > 0) stamps.note();
  return frames;
};

Channel.prototype.send = function (frames) {
  if (stamps.isRowOpen) stamps.note();
  send.call(this, frames);
  stamps.endRow();
};

await import('../../../src/app/parser-process.ts');
