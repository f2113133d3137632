import { SettingsError } from "@disburse/chassis/settings.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";

const required = {
  DISBURSE_MODE: "sandbox",
  PORT: "0",
  MONGODB_URI: "mongodb://127.0.0.1",
  ...testTrust.settings("payout"),
  BENEFICIARY_URL: "http://127.0.0.1:1",
  QUOTE_URL: "http://127.0.0.1:2",
};

describe("the settings of rails", () => {
  it("send everything to the sandbox by default, without randomness", () => {
    const config = readConfig(required);
    expect(config.RAIL_ROUTES).toEqual([{ rail: "sandbox" }]);
    expect(config.SANDBOX_SCENARIOS).toEqual({});
    expect(config.STUCK_AFTER_SECONDS).toBe(86_400);
  });

  it("are read as they are written", () => {
    const route = { currency: "USD", network: "", transfer_type: "ACH", rail: "bank" };
    const config = readConfig({
      ...required,
      RAIL_ROUTES: JSON.stringify([route, { rail: "sandbox" }]),
      SANDBOX_SCENARIOS: "lost=5,late-return=95",
    });
    const { transfer_type: transferType, ...rest } = route;
    expect(config.RAIL_ROUTES).toEqual([{ ...rest, transferType }, { rail: "sandbox" }]);
    expect(config.SANDBOX_SCENARIOS).toEqual({ lost: 5, "late-return": 95 });
  });

  it.each([
    ["RAIL_ROUTES", "{"],
    ["RAIL_ROUTES", "{}"],
    ["RAIL_ROUTES", '[{"currency":"USD"}]'],
    ["RAIL_ROUTES", '[{"rail":"sandbox","country":"US"}]'],
    ["SANDBOX_SCENARIOS", "lost"],
    ["SANDBOX_SCENARIOS", "lost=5;fail=5"],
    ["SANDBOX_SCENARIOS", "gone=5"],
    ["SANDBOX_SCENARIOS", "lost=60,fail=41"],
    ["SANDBOX_DELAY", "normal"],
    ["STUCK_AFTER_SECONDS", "0"],
  ])("refuse %s=%s", (name, value) => {
    expect(() => readConfig({ ...required, [name]: value })).toThrow(SettingsError);
    expect(() => readConfig({ ...required, [name]: value })).toThrow(name);
  });
});
