import type { MongoClient } from "mongodb";
import type { Metrics } from "../metrics.ts";

/**
 * Histogram bounds in seconds. A command takes about a millisecond. A call gives up after eight
 * seconds.
 */
const secondsBuckets = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/**
 * Adds metrics for a client's connections: their number, the wait for a connection, and the time in
 * use. Pool events cost a tenth of command events. Command events copy each command: 16 µs for a
 * find, 6 µs for each write of a batch (docs/decisions/0030).
 */
export function poolMetrics(
  metrics: Pick<Metrics, "histogram" | "measured">,
): (client: MongoClient) => void {
  const waits = metrics.histogram(
    "disburse_db_pool_wait_seconds",
    "Time that a database command waited for a connection.",
    [],
    secondsBuckets,
  );
  const held = metrics.histogram(
    "disburse_db_command_duration_seconds",
    "Time that a database command used its connection.",
    [],
    secondsBuckets,
  );
  const open = new Set<string>();
  const usedSince = new Map<string, number>();
  metrics.measured(
    "disburse_db_pool_connections",
    "Connections to the database, by state.",
    ["state"],
    (gauge) => {
      gauge.set({ state: "used" }, usedSince.size);
      gauge.set({ state: "idle" }, Math.max(open.size - usedSince.size, 0));
    },
  );
  return (client) => {
    client.on("connectionReady", (event) => open.add(keyOf(event)));
    client.on("connectionClosed", (event) => {
      open.delete(keyOf(event));
      usedSince.delete(keyOf(event));
    });
    client.on("connectionCheckedOut", (event) => {
      waits.observe(event.durationMS / 1_000);
      usedSince.set(keyOf(event), performance.now());
    });
    client.on("connectionCheckOutFailed", ({ durationMS }) => waits.observe(durationMS / 1_000));
    client.on("connectionCheckedIn", (event) => {
      const since = usedSince.get(keyOf(event)) ?? performance.now();
      usedSince.delete(keyOf(event));
      held.observe((performance.now() - since) / 1_000);
    });
  };
}

type ConnectionEvent = { readonly address: string; readonly connectionId: number | "<monitor>" };

/** The driver numbers the connections of each server separately. */
function keyOf({ address, connectionId }: ConnectionEvent): string {
  return `${address} ${connectionId}`;
}
