import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";

/** Lets a server listen on a free port of this machine; answers the port. */
export async function listenLocally(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Serves HTTP on a free port of this machine, and breaks the connection where `answer` throws. */
export async function serveLocally(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
) {
  const server = createServer(async (request, response) => {
    try {
      await answer(request, response);
    } catch {
      // Its sender was killed in the middle of a call.
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
