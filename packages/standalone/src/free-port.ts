import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Throws as listening there would (`EADDRINUSE`, `EACCES`): a newcomer is told at once, and not
 * when the engine, the broker and five services have started for nothing. 0 is always free.
 */
export async function assertPortFree(host: string, port: number): Promise<void> {
  const server = createServer().listen({ host, port, exclusive: true });
  await once(server, "listening");
  server.close();
  await once(server, "close");
}
