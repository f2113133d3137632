import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";
import { referenceIn, routes } from "./all.ts";

let live: TestGateway;
let sandbox: TestGateway;
beforeAll(async () => {
  [live, sandbox] = await Promise.all([startTestGateway({ mode: "live" }), startTestGateway()]);
});
afterAll(() => Promise.all([live.stop(), sandbox.stop()]));

const controls = routes
  .filter(({ path, tag }) => path.startsWith("/api/v1/sandbox/") || tag === "Sandbox")
  .map(({ method, path }): [string, string] => [method, path.replaceAll(/:\w+/g, "id_1")]);

describe.each(controls)("%s %s", (method, path) => {
  it("is an unknown route in live mode, with and without a key", async () => {
    const { key } = await live.merchant();
    for (const sentKey of [key, undefined]) {
      const { status, json } = await live.ask({ method, path, key: sentKey });
      expect([status, json.code]).toEqual([404, "ROUTE_NOT_FOUND"]);
    }
  });

  it("exists only in a sandbox, and only for merchants", async () => {
    const { status, json } = await sandbox.ask({ method, path });
    expect([status, json.code]).toEqual([401, "UNAUTHENTICATED"]);
  });
});

it("the reference of a live deployment has no control", () => {
  const named = (mode: "live" | "sandbox") =>
    JSON.stringify(referenceIn(mode)).includes("/api/v1/sandbox/");
  expect([named("live"), named("sandbox")]).toEqual([false, true]);
});
