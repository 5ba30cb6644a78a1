/** Serves the pictures that the mails refer to, as their sender's server would. */
import { remotePictures } from './newsletters.ts';

/** The host of the pictures in the mails. The browser resolves it to this server. */
const HOST = 'pictures.northwind.example';

export interface PictureServer {
  /** A flag for Chromium. */
  flag: string;
  stop(): void;
}

export function servePictures(): PictureServer {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const draw = remotePictures[new URL(request.url).pathname];
      return draw
        ? new Response(new Uint8Array(draw()), { headers: { 'content-type': 'image/png' } })
        : new Response('', { status: 404 });
    },
  });
  return {
    flag: `--host-resolver-rules=MAP ${HOST} 127.0.0.1:${server.port}`,
    stop: () => void server.stop(true),
  };
}
