import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readTarget, urlsOf } from "./target.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "disburse-target-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Environment = Readonly<Record<string, string>>;

const read = (environment: Environment = {}, choice = {}) =>
  readTarget(
    {
      ...{ environment: { HOME: folder, ...environment }, folder },
      ...{ isTerminal: false, isColoured: false, now: () => new Date() },
      ...{ out: () => undefined, err: () => undefined, confirm: async () => false },
      execute: () => {
        throw new Error("no program runs in this test");
      },
      connect: () => {
        throw new Error("not called");
      },
    },
    choice,
  );

function sandbox(name: string, more: object = {}): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  const grpc = { payout: "http://127.0.0.1:1" };
  writeFileSync(join(path, "sandbox.json"), JSON.stringify({ grpc, grpc_token: "t", ...more }));
  return path;
}

function profiles(text: string): void {
  mkdirSync(join(folder, ".config", "disburse"), { recursive: true });
  writeFileSync(join(folder, ".config", "disburse", "profiles.yaml"), text);
}

const production = `
default: production
profiles:
  production:
    issuer: https://login.example.com
    client_id: ops
    services:
      payout: [https://payout-1.example.com, https://payout-2.example.com]
      quote: https://quote.example.com,https://quote-2.example.com
`;

describe("the deployment", () => {
  it("defaults to the sandbox in this folder", () => {
    sandbox(".data", { issuer: "http://127.0.0.1:2" });
    expect(read()).toMatchObject({
      ...{ sandboxToken: "t", issuer: "http://127.0.0.1:2", clientId: "disburse-cli" },
      scope: "openid disburse",
      urls: { payout: ["http://127.0.0.1:1"] },
    });
  });

  it("is the one of --sandbox, by folder or file", () => {
    const path = sandbox("other");
    for (const given of ["other", "other/sandbox.json", path]) {
      expect(read({ DISBURSE_PROFILE: "none" }, { sandbox: given }).sandboxToken).toBe("t");
    }
  });

  it("prefers the default profile to the sandbox in this folder", () => {
    sandbox(".data");
    profiles(production);
    const target = read();
    expect(target).toMatchObject({ name: "profile production", clientId: "ops" });
    expect(target.sandboxToken).toBeUndefined();
    expect(urlsOf(target, "quote")).toHaveLength(2);
    expect(urlsOf(target, "payout")).toHaveLength(2);
    expect(() => urlsOf(target, "gateway")).toThrow("DISBURSE_GATEWAY_URL");
  });

  it("prefers the environment to a profile", () => {
    profiles(production);
    const own = {
      DISBURSE_QUOTE_URL: "http://q",
      DISBURSE_ISSUER: "https://i",
      DISBURSE_TOKEN: "x",
    };
    expect(read(own)).toMatchObject({
      ...{
        name: "the environment",
        urls: { quote: ["http://q"] },
        issuer: "https://i",
        token: "x",
      },
    });
    const both = read({ ...own, DISBURSE_PROFILE: "production" });
    expect(both.urls.quote).toEqual(["http://q"]);
    expect(both.urls.payout).toHaveLength(2);
  });

  it.each([
    ["default: x\nprofiles: {}", 'there is no profile "x"'],
    ["profiles:\n  a:\n    services: { payuot: https://x }", "payuot"],
    [
      "profiles:\n  a:\n    services: { payout: payout.example.com }",
      "must be an http or https URL",
    ],
    ["profiles:\n  a:\n    services: { payout: ftp://x }", "must be an http or https URL"],
    ["profiles: [", "profiles.yaml"],
  ])("rejects the profiles %j", (text, message) => {
    profiles(text);
    expect(() => read()).toThrow(message);
  });

  it("has TLS files from the environment or beside the profiles", () => {
    profiles(`${production}    ca_file: ca.crt\n    trust_domain: bank\n`);
    const beside = join(folder, ".config", "disburse");
    expect(read().tls).toEqual({ ca: join(beside, "ca.crt"), trustDomain: "bank" });
    const own = {
      DISBURSE_CA_FILE: "ca.pem",
      DISBURSE_CERT_FILE: "own.pem",
      DISBURSE_KEY_FILE: "/own.key",
    };
    expect(read(own).tls).toEqual({
      ...{ ca: join(folder, "ca.pem"), cert: join(folder, "own.pem"), key: "/own.key" },
      trustDomain: "disburse",
    });
    expect(() => read({ DISBURSE_CERT_FILE: "own.pem" })).toThrow("go together");
  });

  it("has no addresses without any setting", () => {
    expect(read()).toMatchObject({ name: "the environment", urls: {} });
  });
});
