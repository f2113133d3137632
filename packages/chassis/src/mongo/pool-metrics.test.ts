import { EventEmitter } from "node:events";
import type { MongoClient } from "mongodb";
import { expect, it, vi } from "vitest";
import { createMetrics } from "../metrics.ts";
import { poolMetrics } from "./pool-metrics.ts";

let nowMs = 0;
const metrics = createMetrics("test");

const client = new EventEmitter();
poolMetrics(metrics)(client as unknown as MongoClient);

/** Emits an event of a connection, this many milliseconds after the previous one. */
const happens = (name: string, connectionId: number, more: object = {}, afterMs = 0) => {
  nowMs += afterMs;
  client.emit(name, { address: "db:27017", connectionId, ...more });
};

/** Counts used and idle connections, and commands that waited and ran, with their total times. */
async function shown() {
  const text = await metrics.text();
  const value = (name: string) =>
    Number(new RegExp(`^disburse_db_${name}.* (.*)$`, "m").exec(text)?.[1]);
  return {
    connections: [value('pool_connections{state="used"'), value('pool_connections{state="idle"')],
    waits: [value("pool_wait_seconds_count"), value("pool_wait_seconds_sum")],
    commands: [value("command_duration_seconds_count"), value("command_duration_seconds_sum")],
  };
}

it("shows each connection as used or idle, and how long commands wait for it and have it", async () => {
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  happens("connectionReady", 1);
  happens("connectionReady", 2);
  happens("connectionCheckedOut", 1, { durationMS: 250 });
  expect(await shown()).toEqual({ connections: [1, 1], waits: [1, 0.25], commands: [0, 0] });
  happens("connectionCheckedIn", 1, {}, 2_000);
  happens("connectionCheckOutFailed", 3, { durationMS: 500 });
  expect(await shown()).toEqual({ connections: [0, 2], waits: [2, 0.75], commands: [1, 2] });
  // A connection that is closed in use does not return to the pool.
  happens("connectionCheckedOut", 2, { durationMS: 0 });
  happens("connectionClosed", 2);
  expect(await shown()).toEqual({ connections: [0, 1], waits: [3, 0.75], commands: [1, 2] });
  happens("connectionClosed", 1);
  expect((await shown()).connections).toEqual([0, 0]);
});
