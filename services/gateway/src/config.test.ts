import { testTrust } from "@disburse/testkit/identity.ts";
import { expect, it } from "vitest";
import { originProblem, providerProblem, readConfig } from "./config.ts";

const base = {
  ...{ DISBURSE_MODE: "sandbox", PORT: "0", RPC_PORT: "0", MONGODB_URI: "mongodb://a" },
  ...testTrust.settings("gateway"),
  API_KEY_PEPPER: `p1:${Buffer.alloc(32).toString("base64")}`,
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
  ...{ BENEFICIARY_URL: "http://a", QUOTE_URL: "http://a" },
  ...{ PAYOUT_URL: "http://a", NOTIFIER_URL: "http://a" },
};

it("allows an address ten times what it allows a key, unless its limit is set", () => {
  const read = (more: Record<string, string>) => {
    const { ADDRESS_RATE_LIMIT_PER_SECOND: perSecond, ADDRESS_RATE_LIMIT_BURST: burst } =
      readConfig({ ...base, ...more });
    return { perSecond, burst };
  };
  expect(read({})).toEqual({ perSecond: 1_000, burst: 2_000 });
  const ofKey = { RATE_LIMIT_PER_SECOND: "5", RATE_LIMIT_BURST: "7" };
  expect(read(ofKey)).toEqual({ perSecond: 50, burst: 70 });
  const own = { ADDRESS_RATE_LIMIT_PER_SECOND: "3", ADDRESS_RATE_LIMIT_BURST: "4" };
  expect(read({ ...ofKey, ...own })).toEqual({ perSecond: 3, burst: 4 });
});

it.each([
  ["https://console.example.com", "live", undefined],
  ["https://console.example.com:8443", "live", undefined],
  ["http://console.example.com", "live", "https"],
  ["http://127.0.0.1:8080", "sandbox", undefined],
  ["https://console.example.com/", "live", "origin"],
  ["https://console.example.com/console", "live", "origin"],
  ["https://console.example.com?a=b", "sandbox", "origin"],
] as const)("the address %s of a port in %s mode", (url, mode, problem) => {
  const found = originProblem(url, mode);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});

it.each([
  ["https://login.example.com/realms/acme", true],
  ["http://127.0.0.1:4000", true],
  ["http://localhost:4000", true],
  ["http://login.example.com", false],
  ["http://127.0.0.1.example.com", false],
])("a provider at %s: %s", (url, isAllowed) => {
  expect(providerProblem(url) === undefined).toBe(isAllowed);
});

it.each(["mailto:security@example.com", "https://example.com/security"])(
  "a contact for reports of vulnerabilities: %s",
  (contact) => {
    expect(readConfig({ ...base, SECURITY_CONTACT: contact }).SECURITY_CONTACT).toBe(contact);
  },
);

it.each(["security@example.com", "mailto:a\nContact: b"])("no contact: %j", (contact) => {
  expect(() => readConfig({ ...base, SECURITY_CONTACT: contact })).toThrow("SECURITY_CONTACT");
});
