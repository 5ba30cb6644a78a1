/** A child process that takes half a second of processor time until it runs, and answers each job with an empty head. */
import { encodeFrame } from '../../../src/platform/process/frames.ts';
import { openParent } from '../../../src/platform/process/parent.ts';

const untilMs = performance.now() + 500;
while (performance.now() < untilMs);

const parent = openParent((frames) => parent.send(frames.map(() => encodeFrame({}))));
