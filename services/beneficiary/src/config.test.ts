import { testTrust } from "@disburse/testkit/identity.ts";
import { expect, it } from "vitest";
import { readConfig } from "./config.ts";

const environment = {
  DISBURSE_MODE: "sandbox",
  PORT: "0",
  MONGODB_URI: "mongodb://127.0.0.1:27017",
  ...testTrust.settings("beneficiary"),
  COMPLIANCE_URL: "http://127.0.0.1:9102",
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
};

it("opens every network in the sandbox, and BNB in live mode only by setting", () => {
  const networks = (more: object) => readConfig({ ...environment, ...more }).OPEN_NETWORKS;
  expect(networks({})).toEqual(["ETHEREUM", "SOLANA", "POL", "BNB", "BTC", "TRX"]);
  expect(networks({ DISBURSE_MODE: "live" })).toEqual(["ETHEREUM", "SOLANA", "POL", "BTC", "TRX"]);
  expect(networks({ DISBURSE_MODE: "live", OPEN_NETWORKS: "BNB, BTC" })).toEqual(["BNB", "BTC"]);
});

it.each([
  ["COMPLIANCE_URL", undefined],
  ["ENCRYPTION_KEYS", undefined],
  ["ENCRYPTION_KEYS", "k1:short"],
  ["SERVICE_KEY", "short"],
  ["OPEN_NETWORKS", "ETHEREUM,DOGE"],
  ["CUSTODY_PROVIDERS", "acme vault"],
  ["SCREENING_SWEEP_MS", "0"],
])("ends with the name of %s when it is %s", (name, value) => {
  expect(() => readConfig({ ...environment, [name]: value })).toThrow(name);
});

it("accepts the deployment's own custody providers", () => {
  const config = readConfig({ ...environment, CUSTODY_PROVIDERS: "ACME_VAULT,OTHER_BANK" });
  expect(config.CUSTODY_PROVIDERS).toEqual(["ACME_VAULT", "OTHER_BANK"]);
  expect(readConfig(environment).CUSTODY_PROVIDERS).toEqual([]);
});
