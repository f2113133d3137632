import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that systems give to outgoing connections and to servers that ask for any: Linux
 * gives them from 32,768 on, others from 49,152.
 */
const chosenFrom = { min: 10_000, max: 32_767 };
const mostTries = 1_000;

/**
 * Ports on 127.0.0.1 that nothing listens on, all different, and no one else's who asks here:
 * this process marks each, until it ends, by the UDP port of the same number.
 *
 * @throws {Error} where so few are free that a thousand tries find too few.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries += 1) {
    if (tries === mostTries) throw new Error(`no ${count} free ports on 127.0.0.1`);
    const port = chosenFrom.min + Math.floor(Math.random() * (chosenFrom.max - chosenFrom.min + 1));
    if ((await marked(port)) && (await unheard(port))) ports.push(port);
  }
  return ports;
}

async function marked(port: number): Promise<boolean> {
  const mark = createSocket("udp4").unref();
  try {
    mark.bind({ port, address: "127.0.0.1", exclusive: true });
    await once(mark, "listening");
    return true;
  } catch {
    mark.close();
    return false;
  }
}

async function unheard(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
