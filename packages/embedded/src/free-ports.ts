import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";

/**
 * Ports on 127.0.0.1 that nothing listened on a moment ago, all different. Another process may
 * take one before it is used; who cannot bear that tries again with others.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listenAnywhere));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(closed));
  return ports;
}

async function listenAnywhere(): Promise<Server> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}
