import type { Server } from "node:http";
import { BlockList, type Socket } from "node:net";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { callerAddress, contains, senderOf } from "../keys/rules/source-address.ts";

export type ConnectionLimits = {
  readonly max: number;
  /** Maximum connections from each address. Our own proxies are exempt. */
  readonly maxPerAddress: number;
  readonly proxies: BlockList;
  /** Absent at the operator API proxy, whose connections are not counted. */
  readonly metrics?: Metrics | undefined;
};

/**
 * Minimum time between two searches for idle connections to close. The gateway searches while all
 * connections are taken, and each search takes time.
 */
const clearEveryMs = 1_000;

/** Closes connections beyond the limits before any byte is read from them. */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { max, maxPerAddress, proxies, metrics } = limits;
  const refusals = metrics?.counter(
    "disburse_http_connections_refused_total",
    "Refused connections to the public port, by the limit that they exceed: all or address.",
    ["limit"],
  );
  const open = new Map<string, number>();
  const sockets = new Set<Socket>();
  let clearedMs = Number.NEGATIVE_INFINITY;
  const help = "Open connections of the public port.";
  metrics?.measured("disburse_http_connections", help, [], (gauge) => gauge.set(sockets.size));
  server.maxConnections = max;
  server.on("drop", () => {
    refusals?.inc({ limit: "all" });
    const now = performance.now();
    if (now - clearedMs < clearEveryMs) return;
    clearedMs = now;
    server.closeIdleConnections();
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    const address = callerAddress(socket.remoteAddress ?? "", undefined, noProxies);
    if (contains(proxies, address)) return;
    const sender = senderOf(address);
    const others = open.get(sender) ?? 0;
    if (others >= maxPerAddress) {
      refusals?.inc({ limit: "address" });
      socket.destroy();
      return;
    }
    open.set(sender, others + 1);
    socket.once("close", () => {
      const left = (open.get(sender) ?? 1) - 1;
      if (left === 0) open.delete(sender);
      else open.set(sender, left);
    });
  });
}

const noProxies = new BlockList();
