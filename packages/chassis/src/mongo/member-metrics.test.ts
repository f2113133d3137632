import { EventEmitter } from "node:events";
import type { MongoClient } from "mongodb";
import { beforeEach, expect, it } from "vitest";
import { createMetrics, type Metrics } from "../metrics.ts";
import { memberMetrics } from "./member-metrics.ts";

let metrics: Metrics;
let client: EventEmitter;
beforeEach(() => {
  metrics = createMetrics("test");
  client = new EventEmitter();
  memberMetrics(metrics)(client as unknown as MongoClient);
});

const replies = (connectionId: string, reply: object) =>
  client.emit("serverHeartbeatSucceeded", { connectionId, reply });

async function members() {
  const gauges = await metrics.gauges(["disburse_db_members"]);
  return Object.fromEntries(gauges.map(({ labels, value }) => [labels.state, value]));
}

const none = { primary: 0, secondary: 0, standalone: 0, other: 0, unreachable: 0 };

it("counts the members of a replica set by their state", async () => {
  expect(await members()).toEqual(none);
  replies("a:1", { setName: "rs0", isWritablePrimary: true });
  replies("b:1", { setName: "rs0", secondary: true });
  replies("c:1", { setName: "rs0" });
  expect(await members()).toEqual({ ...none, primary: 1, secondary: 1, other: 1 });
});

it("follows an election, a loss, and the removal of a member", async () => {
  replies("a:1", { setName: "rs0", isWritablePrimary: true });
  replies("b:1", { setName: "rs0", secondary: true });
  client.emit("serverHeartbeatFailed", { connectionId: "a:1" });
  replies("b:1", { setName: "rs0", isWritablePrimary: true });
  expect(await members()).toEqual({ ...none, primary: 1, unreachable: 1 });
  client.emit("serverClosed", { address: "a:1" });
  expect(await members()).toEqual({ ...none, primary: 1 });
});

it("names a database that is no replica set", async () => {
  replies("a:1", { isWritablePrimary: true });
  expect(await members()).toEqual({ ...none, standalone: 1 });
});
