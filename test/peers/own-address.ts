import { networkInterfaces } from 'node:os';

/** An IPv4 address of this machine beyond loopback, whose connections a server counts; undefined if there is none. */
export const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find((own) => own?.family === 'IPv4' && !own.internal)?.address;
