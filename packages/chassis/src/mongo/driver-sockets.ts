import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { MongoNetworkError } from "mongodb";

const driver = /[/\\]mongodb[/\\]lib[/\\]/;
let areGuarded = false;

/**
 * Lets no command wait for ever on a connection that is gone. The driver (7.8.0, `writeCommand` of
 * cmap/connection.js) waits for `drain` when a write is not taken at once, and so it does when the
 * socket was destroyed and its `close` has not been told yet: then `drain` never comes, no timeout
 * runs, and the command hangs; the monitor's own, and no connection is made any more. Here such a
 * socket tells its end as an error, which the driver handles as it does any other.
 */
export function guardDriverSockets(): void {
  if (areGuarded) return;
  areGuarded = true;
  subscribe("net.client.socket", (message) => {
    // Told while the driver makes the socket, so that its frames are on the stack.
    if (!driver.test(new Error("where").stack ?? "")) return;
    const { socket } = message as { socket: Socket };
    socket.once("close", () => {
      if (socket.listenerCount("drain") === 0) return;
      socket.emit("error", new MongoNetworkError("the connection closed before it was written to"));
    });
  });
}
