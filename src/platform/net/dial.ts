import { connect, type Socket } from 'node:net';
import { type Address, isSameAddress } from './guard.ts';
import { describeNetworkFault } from './server-reply.ts';

/** Opens a TCP connection to an address that the guard has checked. Resolves with the reason if that fails; never rejects. */
export function dial(
  { address, port, signal }: { address: Address; port: number; signal?: AbortSignal | undefined },
  ms: number,
): Promise<{ socket: Socket } | { reason: string }> {
  return new Promise((resolve) => {
    const socket = connect({ host: address.address, port, family: address.family, noDelay: true });
    const end = (reason: string | null) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onStop);
      socket.off('error', onError);
      if (reason === null) return resolve({ socket });
      socket.on('error', () => {});
      socket.destroy();
      resolve({ reason });
    };
    const onError = (fault: NodeJS.ErrnoException) => end(describeNetworkFault(fault));
    const onStop = () => end('stopped');
    const timer = setTimeout(() => end(`no connection within ${ms} ms`), ms);
    signal?.addEventListener('abort', onStop);
    socket.on('error', onError);
    socket.once('connect', () =>
      end(isSameAddress(socket.remoteAddress, address.address) ? null : 'connected to a different address'),
    );
  });
}
