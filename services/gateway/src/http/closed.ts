import type { ServerResponse } from "node:http";

const waiting = new WeakMap<ServerResponse, (() => void)[]>();

/**
 * Calls `call` when a response is complete or its connection has closed. All callbacks of a
 * response share one listener, because Node would report a leak if each had its own.
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
