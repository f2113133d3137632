import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";

/** Listens on a free local port. Returns the port. */
export async function listenLocally(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Serves HTTP on a free local port. Breaks the connection if `answer` throws. */
export async function serveLocally(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
) {
  const server = createServer(async (request, response) => {
    try {
      await answer(request, response);
    } catch {
      // The calling process was killed during the call.
      response.destroy();
    }
  });
  return {
    server,
    url: `http://127.0.0.1:${await listenLocally(server)}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
