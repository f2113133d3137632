import { freePorts } from "@disburse/embedded/free-ports.ts";

/** Returns a reserved port on 127.0.0.1 without a listener. */
export async function freePort(): Promise<number> {
  const [port] = (await freePorts(1)) as [number];
  return port;
}
