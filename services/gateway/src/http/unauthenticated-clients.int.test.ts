import { afterAll, beforeAll, expect, it } from "vitest";
import { makeKey } from "../keys/rules/api-key.ts";
import { startTestGateway, type TestGateway } from "../test-gateway.ts";

let gateway: TestGateway;
let good: string;
let restricted: string;
const accounts = "/api/v1/transfer/accounts";
const perHour = (burst: number) => ({ perSecond: burst / 3_600, burst });

beforeAll(async () => {
  gateway = await startTestGateway({
    proxies: ["127.0.0.0/8"],
    unauthenticatedLimit: perHour(20),
    lookupsLimit: perHour(5),
  });
  gateway.fakes.payout.listAccounts = () => ({ accounts: [] });
  good = (await gateway.merchant()).key;
  restricted = (await gateway.merchant({ sourceCidrs: ["192.0.2.1"] })).key;
});
afterAll(() => gateway.stop());

const forged = () =>
  makeKey("sandbox", (size) => crypto.getRandomValues(new Uint8Array(size))).text;

/** Sends requests one by one. Returns the count of each status. */
async function ask(address: string, times: number, path: string, key?: () => string) {
  const statuses: Record<number, number> = {};
  for (let at = 0; at < times; at += 1) {
    const headers = { "x-forwarded-for": address };
    const { status } = await gateway.ask({ path, key: key?.(), headers });
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

it("limits forged keys of an address, and reads none from the database", async () => {
  const reads = async () => {
    const line = /cache="api_keys",result="miss".*} (\d+)/.exec(await gateway.metrics.text());
    return Number(line?.[1] ?? 0);
  };
  expect(await ask("203.0.113.1", 1, accounts, () => good)).toEqual({ 200: 1 });
  const before = await reads();
  expect(await ask("203.0.113.1", 30, accounts, forged)).toEqual({ 401: 5, 429: 25 });
  expect(await reads()).toBe(before + 5);
  // Valid keys from the same address, and other addresses, are still served.
  expect(await ask("203.0.113.1", 10, accounts, () => good)).toEqual({ 200: 10 });
  expect(await ask("203.0.113.2", 1, accounts, forged)).toEqual({ 401: 1 });
});

it.each<[string, string, number, string, (() => string) | undefined]>([
  ["without a key", "198.51.100.1", 401, accounts, undefined],
  ["with half a key", "198.51.100.2", 401, accounts, () => "dsb_test_"],
  ["of no route", "198.51.100.3", 404, "/api/v1/unknown", undefined],
  ["of the documentation", "198.51.100.4", 200, "/openapi.json", undefined],
  ["of a malformed target", "198.51.100.5", 400, "/%zz", undefined],
  ["with another's key", "198.51.100.6", 403, accounts, () => restricted],
  ["of a network of IPv6", "2001:db8::7", 401, accounts, undefined],
])("limits requests from an address %s", async (_what, address, status, path, key) => {
  expect(await ask(address, 25, path, key)).toEqual({ [status]: 20, 429: 5 });
  const headers = { "x-forwarded-for": address === "2001:db8::7" ? "2001:db8::8" : address };
  const reply = await gateway.ask({ path, key: key?.(), headers });
  expect(reply.json.code).toBe("RATE_LIMITED");
  expect(reply.json.message).toContain("from this address");
  expect(reply.headers["retry-after"]).toBe("1");
});

it("limits neither valid keys nor probes", async () => {
  expect(await ask("198.51.100.9", 30, accounts, () => good)).toEqual({ 200: 30 });
  expect(await ask("198.51.100.9", 30, "/healthz")).toEqual({ 200: 30 });
  expect(await ask("198.51.100.9", 30, "/readyz")).toEqual({ 200: 30 });
  expect(await ask("198.51.100.9", 20, accounts)).toEqual({ 401: 20 });
});
