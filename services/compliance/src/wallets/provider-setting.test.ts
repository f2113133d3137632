import { readSettings } from "@disburse/chassis/settings.ts";
import { describe, expect, it } from "vitest";
import { walletProviderOf, walletProviderSettings } from "./provider-setting.ts";

const read = (environment: Readonly<Record<string, string>>) =>
  walletProviderOf(readSettings(environment, walletProviderSettings));
const whole = {
  WALLET_PROVIDER_URL: "https://provider.example/api/v1",
  WALLET_PROVIDER_API_KEY: "key-1",
};

describe("the wallet risk provider's settings", () => {
  it("may be absent", () => expect(read({})).toBeUndefined());

  it("have defaults for the timeout and the cache time", () => {
    expect(read(whole)).toEqual({
      url: "https://provider.example/api/v1",
      apiKey: "key-1",
      timeoutMs: 2_000,
      identifiedSeconds: 600,
      clearSeconds: 60,
    });
  });

  it.each([
    "http://127.0.0.1:8081/api",
    "http://localhost:8081",
    "http://[::1]:8081/",
    "https://10.0.0.1",
  ])("allow %s", (url) => {
    expect(read({ ...whole, WALLET_PROVIDER_URL: url })).toMatchObject({ url });
  });

  it.each([
    "http://provider.example/api",
    "http://127.0.0.1.example",
    "http://localhost@provider.example",
    "https://user:pass@provider.example",
    "https://provider.example/?a=b",
    "https://provider.example/#a",
    "ftp://provider.example",
    "provider.example",
  ])("refuse %s and do not repeat it", (url) => {
    const reading = () => read({ ...whole, WALLET_PROVIDER_URL: url });
    expect(reading).toThrow("settings: WALLET_PROVIDER_URL: ");
    expect(reading).not.toThrow(url);
  });

  it("refuse an address without a key, and a key without an address", () => {
    expect(() => read({ WALLET_PROVIDER_URL: whole.WALLET_PROVIDER_URL })).toThrow("API_KEY");
    expect(() => read({ WALLET_PROVIDER_API_KEY: "key-1" })).toThrow("WALLET_PROVIDER_URL");
    expect(() => read({ ...whole, WALLET_PROVIDER_API_KEY: "key 1" })).toThrow("API_KEY");
  });
});
