import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * The range of ports to choose from. It is below the ephemeral ports, which begin at 32,768 on
 * Linux and at 49,152 elsewhere.
 */
const range = { min: 10_000, max: 32_767 };
const triesMax = 1_000;

/**
 * Returns different free TCP ports on 127.0.0.1. Each one is reserved until this process ends: this
 * process occupies the UDP port with the same number, which other callers check. Throws after a
 * thousand attempts.
 *
 * @param preferred the port to use at each index, if it is free.
 */
export async function freePorts(
  count: number,
  preferred: readonly number[] = [],
): Promise<number[]> {
  const ports: number[] = [];
  const isMine = async (port: number) => (await isReserved(port)) && (await isFree(port));
  for (let tries = 0; ports.length < count; tries += 1) {
    if (tries === triesMax) throw new Error(`could not find ${count} free ports on 127.0.0.1`);
    const before = preferred[ports.length];
    const chosen = range.min + Math.floor(Math.random() * (range.max - range.min + 1));
    if (before !== undefined && (await isMine(before))) ports.push(before);
    else if (await isMine(chosen)) ports.push(chosen);
  }
  return ports;
}

async function isReserved(port: number): Promise<boolean> {
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

const isFree = (port: number): Promise<boolean> =>
  assertPortFree("127.0.0.1", port).then(
    () => true,
    () => false,
  );

/**
 * Throws the error that listening on the port would throw (`EADDRINUSE`, `EACCES`). Port 0 is
 * always free.
 */
export async function assertPortFree(host: string, port: number): Promise<void> {
  const server = createServer().listen({ host, port, exclusive: true });
  await once(server, "listening");
  server.close();
  await once(server, "close");
}
