import { freePorts } from "@disburse/embedded/free-ports.ts";

/** A port on 127.0.0.1 that nothing listens on, and that is given to no one else. */
export async function freePort(): Promise<number> {
  const [port] = (await freePorts(1)) as [number];
  return port;
}
