import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

const folder = mkdtempSync(join(tmpdir(), "disburse-console-"));
const build = join(folder, "dist");
let gateway: TestGateway;

beforeAll(async () => {
  writeFileSync(join(folder, "secret.txt"), "not served");
  gateway = await startTestGateway({}, undefined, {}, { consoleFolder: build });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

const get = (path: string, headers = {}) => gateway.ask({ path, headers });

it("without a build says so, and still has sessions", async () => {
  expect(await get("/console/")).toMatchObject({
    ...{ status: 404, text: expect.stringContaining("does not include the console") },
  });
  expect((await get("/console/session")).status).toBe(401);
  expect((await get("/console/session/login")).status).toBe(503);
});

it("serves a new build: its page for every path that is not a file", async () => {
  mkdirSync(join(build, "assets"), { recursive: true });
  writeFileSync(join(build, "assets/main-abc123.js"), "export {};");
  writeFileSync(join(build, "favicon.svg"), "<svg/>");
  writeFileSync(join(build, "index.html"), "<!doctype html><title>one</title>");
  expect(await get("/console")).toMatchObject({ status: 308, headers: { location: "/console/" } });
  for (const path of [
    "/console/",
    "/console/payouts/po_1",
    "/console/index.html",
    "/console/a/b",
  ]) {
    const page = await get(path);
    expect([page.status, page.text]).toEqual([200, "<!doctype html><title>one</title>"]);
    expect(page.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
    });
    const policy = page.headers["content-security-policy"] ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain("unsafe");
  }
  const script = await get("/console/assets/main-abc123.js", { "accept-encoding": "br" });
  expect(script.headers).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
    "content-encoding": "br",
  });
  expect((await get("/console/favicon.svg")).headers["content-type"]).toBe("image/svg+xml");
  const { etag = "" } = (await get("/console/")).headers;
  expect((await get("/console/", { "if-none-match": etag })).status).toBe(304);
});

it("serves no page for a missing hashed file or route, and no outside file", async () => {
  for (const path of [
    ...["/console/assets/main-gone.js", "/console/assets/../../secret.txt", "/console/session/x"],
    ...["/console/rpc/disburse.payout.v1.PayoutService/ListPayouts", "/console/rpc"],
  ]) {
    const { status, json, text } = await get(path);
    expect([status, json.code ?? text]).toEqual([404, "ROUTE_NOT_FOUND"]);
  }
  for (const path of [
    "/console/../secret.txt",
    "/console/%2e%2e/secret.txt",
    "/console/..%2fsecret.txt",
  ]) {
    expect((await get(path)).text).not.toContain("not served");
  }
  expect((await gateway.ask({ method: "POST", path: "/console/payouts", body: "{}" })).status).toBe(
    405,
  );
});

it("a new build is served from its first request on", async () => {
  writeFileSync(join(build, "index.html"), "<!doctype html><title>two</title>");
  const later = new Date(Date.now() + 60_000);
  utimesSync(join(build, "index.html"), later, later);
  expect((await get("/console/")).text).toContain("two");
});
