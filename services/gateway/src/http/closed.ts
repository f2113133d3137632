import type { ServerResponse } from "node:http";

const waiting = new WeakMap<ServerResponse, (() => void)[]>();

/**
 * Calls when an answer's connection has it, or has gone. All that is counted of an answer shares one
 * listener: with a file's own, Node would warn of a leak.
 */
export function onceClosed(res: ServerResponse, call: () => void): void {
  const known = waiting.get(res);
  if (known !== undefined) {
    known.push(call);
    return;
  }
  const calls = [call];
  waiting.set(res, calls);
  res.once("close", () => {
    for (const each of calls) each();
  });
}
