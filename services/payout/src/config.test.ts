import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

const bank = {
  ...{ rail: "bank-usd", format: "iso20022", currency: "USD", transfer_methods: ["SWIFT"] },
  profile: {
    ...{ version: "pain.001.001.09", characters: "swift", charge_bearer: "SHAR" },
    initiating_party: { name: "Disburse Inc" },
    debtor: { name: "Disburse Inc", address: { town: "New York", country: "US" } },
    ...{ account: { number: "000123456789" }, agent: { bic: "CHASUS33" } },
  },
  schedule: {
    ...{ zone: "America/New_York", calendars: ["FEDERAL_RESERVE"] },
    windows: [{ cut_off: "16:00", settles_after_days: 1 }],
  },
  sftp: {
    ...{ host: "files.bank.example", username: "disburse", private_key_file: "/key" },
    ...{ host_keys: [`SHA256:${"a".repeat(43)}`], outgoing: "/in", incoming: "/out" },
  },
};

const sepolia = {
  ...{ rail: "sepolia", network: "ETHEREUM", chain_id: 11_155_111, finality: "finalized" },
  ...{
    rpc_urls: ["https://one.example", "https://two.example"],
    native: "ETH",
    max_fee_gwei: "50",
    tip_gwei: "1",
  },
  wallet: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  signer: { web3signer_url: "https://signer.example" },
};

const bitcoin = {
  ...{ rail: "bitcoin", chain: "main", max_fee_rate: 100 },
  nodes: ["one", "two"].map((name) => ({
    url: `https://${name}.example/wallet/payouts`,
    credentials_file: "/run/secrets/node",
  })),
  descriptor: "wpkh(0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798)#8zl0zxma",
  signer: { url: "https://signer.example", token_file: "/run/secrets/token" },
};

const namesOf = ({ rails }: ReturnType<typeof readConfig>) => rails.flatMap(({ names }) => names);

describe("the settings of rails", () => {
  it("send everything to the sandbox by default, without randomness", () => {
    const config = readConfig(required);
    expect(config.RAIL_ROUTES).toEqual([{ rail: "sandbox" }]);
    expect(config.SANDBOX_SCENARIOS).toEqual({});
    expect(config.STUCK_AFTER_SECONDS).toBe(86_400);
  });

  it("are required in live mode, and name rails that pay", () => {
    const folder = mkdtempSync(join(tmpdir(), "disburse-config-"));
    const file = join(folder, "chains.json");
    writeFileSync(file, JSON.stringify([sepolia]));
    const live = { ...required, DISBURSE_MODE: "live" };
    const chains = { ...live, EVM_CHAINS_FILE: file };
    const routed = (route: object) => ({ ...chains, RAIL_ROUTES: JSON.stringify([route]) });
    expect(() => readConfig(live)).toThrow(
      "live mode requires a rail: set EVM_CHAINS or BITCOIN_RAILS or SOLANA_CHAINS or BANK_RAILS",
    );
    expect(() => readConfig(chains)).toThrow("RAIL_ROUTES: is required");
    expect(() => readConfig(routed({ rail: "sandbox" }))).toThrow(
      "the simulated rail is not allowed in live mode",
    );
    writeFileSync(file, JSON.stringify([{ ...sepolia, agreeing: 1 }]));
    const trusting = () => readConfig(routed({ network: "ETHEREUM", rail: "sepolia" }));
    expect(trusting).toThrow("EVM_CHAINS: sepolia: live mode requires at least two nodes");
    writeFileSync(file, JSON.stringify([sepolia]));
    const config = readConfig(routed({ network: "ETHEREUM", rail: "sepolia" }));
    expect(namesOf(config)).toEqual(["sepolia"]);
    expect(config.APPROVAL_CREDIT_LIMITS.size).toBe(0);
    rmSync(folder, { recursive: true });
  });

  it("on Bitcoin start live mode too, with two nodes that agree", () => {
    const configured = (change: object = {}) =>
      readConfig({
        ...required,
        DISBURSE_MODE: "live",
        BITCOIN_RAILS: JSON.stringify([{ ...bitcoin, ...change }]),
        RAIL_ROUTES: '[{"network":"BTC","rail":"bitcoin"}]',
      });
    expect(namesOf(configured())).toEqual(["bitcoin"]);
    expect(() => configured({ agreeing: 1 })).toThrow(
      "BITCOIN_RAILS: bitcoin: live mode requires at least two nodes that agree",
    );
  });

  it("of banks start live mode too, with keys that seal account numbers", () => {
    const banks = { ...required, DISBURSE_MODE: "live", BANK_RAILS: JSON.stringify([bank]) };
    const routed = { ...banks, RAIL_ROUTES: '[{"transfer_type":"SWIFT","rail":"bank-usd"}]' };
    expect(() => readConfig(routed)).toThrow(
      "ENCRYPTION_KEYS: is required unless AWS_KMS_KEY_IDS is set",
    );
    const keys = { ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}` };
    expect(() => readConfig({ ...banks, ...keys })).toThrow("RAIL_ROUTES: is required");
    const addressless = { ...bank, profile: { ...bank.profile, debtor: { name: "Disburse Inc" } } };
    const given = (change: object) =>
      readConfig({
        ...routed,
        ...keys,
        BANK_RAILS: JSON.stringify([{ ...addressless, ...change }]),
      });
    expect(() => given({})).toThrow(
      "settings: BANK_RAILS: bank-usd: profile.debtor.address: is required for SWIFT in live mode and must have a town and a country",
    );
    expect(namesOf(given({ transfer_methods: ["LOCAL"] }))).toEqual(["bank-usd"]);
    expect(() => given({ transfer_methods: ["LOCAL", "SWIFT"] })).toThrow("debtor.address");
    const sandbox = { ...required, ...keys, BANK_RAILS: JSON.stringify([addressless]) };
    expect(namesOf(readConfig(sandbox))).toEqual(["bank-usd"]);
    const config = readConfig({ ...routed, ...keys });
    expect(namesOf(config)).toEqual(["bank-usd"]);
    expect(config.sealing).toMatchObject(keys);
    const same = {
      ...routed,
      ...keys,
      EVM_CHAINS: JSON.stringify([{ ...sepolia, rail: "bank-usd" }]),
    };
    expect(() => readConfig(same)).toThrow(
      "EVM_CHAINS, BITCOIN_RAILS, SOLANA_CHAINS, BANK_RAILS: two rails are named bank-usd",
    );
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
