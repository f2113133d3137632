import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { startRelay } from "@disburse/chassis/bus/outbox-relay.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { openBatches } from "./batches/document.ts";
import { batchOutbox } from "./batches/events.ts";
import { startBatchRunner } from "./batches/runner.ts";
import { openBatchLines, openScheduledPayouts } from "./orders/document.ts";
import { heldOutbox } from "./orders/events.ts";
import { startOrderWorker } from "./orders/worker.ts";
import { orderRpc } from "./rpc.ts";

/** Where orders are stored, and what wakes those that make them. */
type Own = "orders" | "batches" | "lines" | "wakeRunner";
type Deps = Omit<Parameters<typeof orderRpc>[0], Own> & {
  readonly database: Database;
  readonly bus: Bus;
};

/** Starts what makes payouts that were ordered before, and answers the RPCs of them. */
export function startOrders(deps: Deps) {
  const { database, bus, log } = deps;
  const scheduling = { ...deps, orders: openScheduledPayouts(database) };
  const worker = startOrderWorker(scheduling);
  const [batches, lines] = [openBatches(database), openBatchLines(database)];
  const runner = startBatchRunner({ ...deps, batches, orders: lines });
  const relay = startRelay({ outbox: batchOutbox(batches), bus, log });
  const heldRelay = startRelay({ outbox: heldOutbox(scheduling.orders), bus, log });
  return {
    rpc: orderRpc({ ...scheduling, batches, lines, wakeRunner: runner.wake }),
    stop: async (): Promise<void> => {
      await Promise.all([worker.stop(), runner.stop()]);
      await Promise.all([relay.stop(), heldRelay.stop()]);
    },
  };
}
