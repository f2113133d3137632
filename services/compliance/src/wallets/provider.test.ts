import type { ServerResponse } from "node:http";
import { createLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TestProvider, testProvider } from "../test-wallet-provider.ts";
import { assessWallet, createWalletProvider, type WalletProvider } from "./provider.ts";
import type { WalletProviderSetting } from "./provider-setting.ts";

const address = "0xABCDEF0000000000000000000000000000000001";
const lowerCase = "0xabcdef0000000000000000000000000000000001";
const apiKey = "key-of-the-test";
const silent = { refused: "WALLET_PROVIDER_SILENT" };
const listed = {
  identifications: [
    { category: "sanctions", name: "Invented", description: null, url: "https://example.com" },
  ],
};

let server: TestProvider;
let now: Date;
let logged: string;
let metrics: ReturnType<typeof createMetrics>;
const providers: WalletProvider[] = [];

beforeEach(async () => {
  server = await testProvider();
  now = new Date("2026-01-01T00:00:00.000Z");
  logged = "";
  metrics = createMetrics("test");
});
afterEach(async () => {
  for (const provider of providers.splice(0)) await provider.close();
  await server.end();
});

function open(setting: Partial<WalletProviderSetting> = {}): WalletProvider {
  const defaults = { timeoutMs: 5_000, identifiedSeconds: 600, clearSeconds: 60 };
  const log = createLog("test", "debug", {
    write: (line: string) => {
      logged += line;
    },
  });
  const provider = createWalletProvider(
    { url: server.url, apiKey, ...defaults, ...setting },
    { metrics, clock: { now: () => now }, log },
  );
  providers.push(provider);
  return provider;
}
const pass = (seconds: number): void => {
  now = new Date(now.getTime() + seconds * 1_000);
};
const outcomes = async (): Promise<string[]> =>
  [...(await metrics.text()).matchAll(/provider_calls_total\{outcome="(\w+)",.*\} (\d+)/g)].map(
    ([, outcome, count]) => `${outcome} ${count}`,
  );

describe("a wallet risk provider", () => {
  it("is queried with the key, and its assessment has evidence and a time", async () => {
    server.answerJson(listed);
    expect(await open().assess("ETHEREUM", address)).toEqual({
      provider: new URL(server.url).host,
      verdict: "block",
      severity: "severe",
      evidence: ["sanctions: Invented: https://example.com"],
      asOf: now,
    });
    expect(server.requests).toMatchObject([
      { path: `/api/v1/address/${lowerCase}`, headers: { "x-api-key": apiKey } },
    ]);
    expect(await outcomes()).toEqual(["identified 1"]);
  });

  it("clears an address that it does not know", async () => {
    server.answerJson({ identifications: [] });
    expect(await open().assess("TRX", "TAbc")).toMatchObject({ verdict: "clear", evidence: [] });
    expect(await outcomes()).toEqual(["clear 1"]);
  });

  it("is queried once for one address at a time, and again when its response is old", async () => {
    server.answerJson({ identifications: [] });
    const provider = open();
    const wallet = { families: ["evm" as const], networks: ["ETHEREUM", "POL"], address };
    await Promise.all([assessWallet(provider, wallet), assessWallet(provider, wallet)]);
    expect(server.requests).toHaveLength(1);
    pass(59);
    expect(await provider.assess("BNB", lowerCase)).toMatchObject({
      asOf: new Date(+now - 59_000),
    });
    pass(1);
    server.answerJson(listed);
    expect(await provider.assess("BNB", lowerCase)).toMatchObject({ verdict: "block", asOf: now });
    pass(599);
    await provider.assess("BNB", lowerCase);
    expect(server.requests).toHaveLength(2);
    pass(1);
    await provider.assess("BNB", lowerCase);
    expect(server.requests).toHaveLength(3);
  });

  it("does not cache a missing response", async () => {
    const provider = open();
    expect(await provider.assess("ETHEREUM", address)).toEqual(silent);
    server.answerJson({ identifications: [] });
    expect(await provider.assess("ETHEREUM", address)).toMatchObject({ verdict: "clear" });
  });

  it("is not queried until Retry-After, for a minute at most", async () => {
    server.answerJson({}, 429, { "retry-after": "30" });
    const provider = open();
    expect(await provider.assess("ETHEREUM", address)).toEqual(silent);
    server.answerJson({ identifications: [] });
    pass(29);
    expect(await provider.assess("ETHEREUM", address)).toEqual(silent);
    expect(server.requests).toHaveLength(1);
    pass(1);
    expect(await provider.assess("ETHEREUM", address)).toMatchObject({ verdict: "clear" });
    server.answerJson({}, 429, { "retry-after": "86400" });
    await provider.assess("TRX", "TAbc");
    server.answerJson({ identifications: [] });
    pass(60);
    expect(await provider.assess("TRX", "TAbc")).toMatchObject({ verdict: "clear" });
    expect(await outcomes()).toEqual(["rate_limited 2", "clear 2"]);
  });
});

describe("no response", () => {
  it.each<[string, () => void, string]>([
    ["500", () => server.answerJson({ identifications: [] }, 500), "error_status"],
    ["401", () => server.answerJson({ identifications: [] }, 401), "error_status"],
    ["404", () => server.answerJson({ identifications: [] }, 404), "error_status"],
    ["204", () => server.answerJson("", 204), "error_status"],
    [
      "a redirect to a clear response",
      () => server.answerJson({ identifications: [] }, 302, { location: "/clear" }),
      "error_status",
    ],
    ["nothing", () => server.answerJson(""), "malformed"],
    ["half an answer", () => server.answerJson('{"identifications":['), "malformed"],
    ["null", () => server.answerJson(null), "malformed"],
    ["another object", () => server.answerJson({ results: [] }), "malformed"],
    ["an object of them", () => server.answerJson({ identifications: {} }), "malformed"],
    ["a number of them", () => server.answerJson({ identifications: [1] }), "malformed"],
    ["no category", () => server.answerJson({ identifications: [{ name: "A" }] }), "malformed"],
    [
      "a huge response",
      () => server.answerJson({ identifications: [], more: "x".repeat(100_000) }),
      "malformed",
    ],
    [
      "another content type",
      () => server.answerJson({ identifications: [] }, 200, { "content-type": "text/html" }),
      "malformed",
    ],
    [
      "a body that is cut",
      () =>
        server.respond((response) => {
          response.writeHead(200, { "content-type": "application/json", "content-length": "99" });
          response.write('{"identifications":[]}');
          setImmediate(() => response.destroy());
        }),
      "unreachable",
    ],
  ])("is %s: nothing is cleared", async (_, answer, outcome) => {
    answer();
    expect(await open().assess("ETHEREUM", address)).toEqual(silent);
    expect(await outcomes()).toEqual([`${outcome} 1`]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["is silent", () => undefined],
    [
      "drips",
      (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.write('{"identifications":');
      },
    ],
  ])("comes of a server that %s, in time", async (_, respond) => {
    server.respond(respond);
    const started = performance.now();
    expect(await open({ timeoutMs: 150 }).assess("ETHEREUM", address)).toEqual(silent);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(await outcomes()).toEqual(["timeout 1"]);
  });

  it("is the result of an unreachable server, after some tries", async () => {
    const provider = open();
    await server.end();
    expect(await provider.assess("ETHEREUM", address)).toEqual(silent);
    expect(await outcomes()).toEqual(["unreachable 1"]);
    server = await testProvider();
  });

  it("is retried after a broken connection, and not after a refusal", async () => {
    let broken = 2;
    server.respond((response) => {
      broken -= 1;
      if (broken === 0) server.answerJson({ identifications: [] });
      response.destroy();
    });
    const provider = open();
    expect(await provider.assess("ETHEREUM", address)).toMatchObject({ verdict: "clear" });
    expect(server.requests).toHaveLength(3);
    server.answerJson({}, 503);
    expect(await provider.assess("TRX", "TAbc")).toEqual(silent);
    expect(server.requests).toHaveLength(4);
  });

  it("on one network is no response on all", async () => {
    const provider: WalletProvider = {
      assess: async (network) => {
        const asOf = now;
        return network === "TRX"
          ? { refused: "WALLET_PROVIDER_SILENT" }
          : { provider: "p", verdict: "clear", severity: "none", evidence: [], asOf };
      },
      close: async () => undefined,
    };
    const wallet = { families: ["evm" as const, "tron" as const], networks: [], address };
    expect(await assessWallet(provider, wallet)).toEqual(silent);
    expect(await assessWallet(provider, { ...wallet, families: ["evm"] })).toMatchObject({
      verdict: "clear",
    });
  });

  it("is logged without the address and the key", async () => {
    await open().assess("ETHEREUM", address);
    expect(logged).toContain("the wallet risk provider returned no assessment");
    expect(logged).toContain("error_status");
    expect(logged.toLowerCase()).not.toContain(lowerCase);
    expect(logged).not.toContain(apiKey);
  });
});
