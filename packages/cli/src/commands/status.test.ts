import { createRouterTransport } from "@connectrpc/connect";
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

const world = () =>
  offlineWorld({
    connect: (url) => {
      if (away.includes(url)) return unavailableTransport;
      return createRouterTransport(({ service }) =>
        service(Health, {
          check: (_request, { responseHeader }) => {
            responseHeader.set("disburse-version", versions[url] ?? "0.1.0");
            return { status: down.includes(url) ? NOT_SERVING : SERVING };
          },
        }),
      );
    },
  });
let opened = world();
afterEach(() => {
  opened.remove();
  [down, away] = [[], []];
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
