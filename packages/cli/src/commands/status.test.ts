import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { StatusService } from "@disburse/contracts/disburse/status/v1/status_pb.ts";
import {
  Health,
  HealthCheckResponse_ServingStatus,
} from "@disburse/contracts/health/v1/health_pb.ts";
import { afterEach, expect, it } from "vitest";
import { offlineWorld, unavailableTransport } from "../test-world.ts";

const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;
const versions: Record<string, string> = {};
let down: readonly string[] = [];
let away: readonly string[] = [];
type Gauge = { name: string; labels: Record<string, string>; value: number };
/** The gauges of a process, by its URL. */
const gauges: Record<string, Gauge[]> = {};
let isRefused = false;

const world = () =>
  offlineWorld({
    connect: (url, { token } = {}) => {
      if (away.includes(url)) return unavailableTransport;
      return createRouterTransport(({ service }) => {
        service(StatusService, {
          listGauges: async ({ names }) => {
            expect(await token?.()).toBeTruthy();
            if (isRefused) throw new ConnectError("no role", Code.PermissionDenied);
            return { gauges: (gauges[url] ?? []).filter(({ name }) => names.includes(name)) };
          },
        });
        service(Health, {
          check: (_request, { responseHeader }) => {
            responseHeader.set("disburse-version", versions[url] ?? "0.1.0");
            return { status: down.includes(url) ? NOT_SERVING : SERVING };
          },
        });
      });
    },
  });
let opened = world();
afterEach(() => {
  opened.remove();
  [down, away, isRefused] = [[], [], false];
  for (const url of Object.keys(gauges)) delete gauges[url];
  opened = world();
});

it("exits with 0 and prints versions if all services serve", async () => {
  const { code, out, err } = await opened.run("status");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^SERVICE +STATE +VERSION +URL +PROBLEM\ngateway +serving +0\.1\.0 +http/);
  expect(out.trim().split("\n")).toHaveLength(7);
});

it("exits with 1 and names the services that don't serve", async () => {
  [down, away] = [["http://quote"], ["http://payout"]];
  const { code, out, err } = await opened.run("status", "--json");
  expect(code).toBe(1);
  const { serving, processes } = JSON.parse(out);
  expect(serving).toBe(false);
  const states = processes.map((each: { service: string; state: string }) => [
    each.service,
    each.state,
  ]);
  expect(Object.fromEntries(states)).toMatchObject({
    ...{ quote: "not_serving", payout: "unreachable", gateway: "serving" },
  });
  expect(JSON.parse(err).error).toMatchObject({
    ...{ code: "not_serving", message: "services that are not serving: quote, payout" },
  });
});

it("notes different versions", async () => {
  versions["http://quote"] = "0.2.0";
  const { code, err } = await opened.run("status");
  expect(code).toBe(0);
  expect(err).toContain("several versions");
});

const gauge = (name: string, value: number, labels: Record<string, string> = {}): Gauge => ({
  ...{ name, labels, value },
});
const partsOf = async () => JSON.parse((await opened.run("status", "--json")).out).parts;

it("shows what waits in each process, and for how long", async () => {
  gauges["http://payout"] = [
    gauge("disburse_payouts_open", 2, { stage: "created" }),
    gauge("disburse_payouts_open", 3, { stage: "sent" }),
    gauge("disburse_payout_oldest_open_seconds", 12.4, { stage: "created", rail: "" }),
    gauge("disburse_payout_oldest_open_seconds", 71.6, { stage: "sent", rail: "bank" }),
    gauge("disburse_payout_exceptions", 1, { kind: "unknown_outcome" }),
  ];
  gauges["http://notifier"] = [
    gauge("disburse_webhook_due_deliveries", 4),
    gauge("disburse_webhook_oldest_due_seconds", 9),
  ];
  expect(await partsOf()).toEqual([
    {
      ...{ service: "payout", url: "http://payout", part: "payouts pending" },
      ...{ state: "", count: 5, oldest_seconds: 72 },
    },
    {
      ...{ service: "payout", url: "http://payout", part: "payout exceptions" },
      ...{ state: "", count: 1, oldest_seconds: null },
    },
    {
      ...{ service: "notifier", url: "http://notifier", part: "webhooks due" },
      ...{ state: "", count: 4, oldest_seconds: 9 },
    },
  ]);
  const { out } = await opened.run("status");
  expect(out).toMatch(/\n\nSERVICE +PART +STATE +COUNT +OLDEST \(S\) +URL\n/);
  expect(out).toMatch(/^payout +payouts pending +- +5 +72 +http:\/\/payout$/m);
});

it("shows the database's members, the broker and the depth of each queue", async () => {
  gauges["http://notifier"] = [
    gauge("disburse_db_members", 1, { state: "primary" }),
    gauge("disburse_db_members", 2, { state: "secondary" }),
    gauge("disburse_db_members", 0, { state: "unreachable" }),
    gauge("disburse_bus_connected", 1, { purpose: "publishing" }),
    gauge("disburse_bus_connected", 0, { purpose: "consuming" }),
    gauge("disburse_bus_queue_messages", 7, { queue: "disburse.notifier.inbox" }),
  ];
  gauges["http://quote"] = [
    gauge("disburse_db_members", 0, { state: "primary" }),
    gauge("disburse_db_members", 1, { state: "unreachable" }),
  ];
  gauges["http://payout"] = [
    gauge("disburse_bus_connected", 1, { purpose: "publishing" }),
    gauge("disburse_bus_connected", 1, { purpose: "consuming" }),
  ];
  const found = (await partsOf()) as Record<string, unknown>[];
  expect(found.map(({ service, part, state, count }) => [service, part, state, count])).toEqual([
    ["quote", "database", "no primary: 1 unreachable", null],
    ["payout", "broker", "connected", null],
    ["notifier", "database", "1 primary, 2 secondary", null],
    ["notifier", "broker", "not connected: consuming", null],
    ["notifier", "queue disburse.notifier.inbox", "", 7],
  ]);
});

it("shows health alone to who is not logged in, or has no role", async () => {
  gauges["http://payout"] = [gauge("disburse_payouts_open", 2, { stage: "created" })];
  isRefused = true;
  const refused = await opened.run("status");
  expect(refused.code).toBe(0);
  expect(refused.err).toContain("connections and pending work are not shown: no role");
  expect(refused.out).not.toContain("payouts pending");
  opened.environment.DISBURSE_TOKEN = undefined;
  const { code, err, out } = await opened.run("status");
  expect(code).toBe(0);
  expect(err).toContain("connections and pending work are not shown: not logged in");
  expect(out.trim().split("\n")).toHaveLength(7);
});
