import { serversOf } from "@disburse/chain-rail/wallet/settings.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { describe, expect, it } from "vitest";
import { bitcoinRails } from "./bitcoin-rails.ts";
import { liveProblems, readBitcoinRails } from "./settings.ts";
import { readWalletKey } from "./wallet-key.ts";

const generator = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
const descriptor = `wpkh([d34db33f/84h/0h/0h/0/0]${generator})#8zl0zxma`;
const given = {
  ...{ rail: "bitcoin", chain: "main", descriptor, max_fee_rate: 100 },
  nodes: ["one", "two"].map((name) => ({
    url: `https://${name}.example/wallet/payouts`,
    credentials_file: "/run/node",
  })),
  signer: { keystore_file: "/run/key.json", password_file: "/run/password" },
};
const read = (change: object = {}) => readBitcoinRails(JSON.stringify([{ ...given, ...change }]));

describe("the settings of rails on Bitcoin", () => {
  it("have defaults", () => {
    expect(read()[0]).toMatchObject({
      ...{ finality: 6, min_fee_rate: 1, batch_max: 100, coins: 8, watch_blocks: 100 },
      known_transactions: [],
    });
  });

  it.each<[string, object, string]>([
    ["another field", { key: "secret" }, "key"],
    ["another chain", { chain: "litecoin" }, "chain"],
    ["a node twice", { nodes: [given.nodes[0], given.nodes[0]] }, "must have different hosts"],
    [
      "a password in a URL",
      { nodes: [{ ...given.nodes[0], url: "https://a:b@one.example" }] },
      "user name",
    ],
    ["too many agreeing nodes", { agreeing: 3 }, "must not exceed the number of nodes"],
    ["a lower bound above the upper one", { min_fee_rate: 101 }, "must not exceed max_fee_rate"],
    ["no upper bound of fees", { max_fee_rate: undefined }, "max_fee_rate"],
    ["a short watch", { watch_blocks: 5 }, "must not be below finality"],
    ["a private descriptor", { descriptor: "wpkh(L1…)#8zl0zxma" }, "one compressed public key"],
    ["another script", { descriptor: `pkh(${generator})#8zl0zxma` }, "one compressed public key"],
    ["no checksum", { descriptor: `wpkh(${generator})` }, "one compressed public key"],
    ["no point of the curve", { descriptor: `wpkh(02${"f".repeat(64)})#8zl0zxma` }, "public key"],
    ["a number as an alarm", { alarm_below: 1 }, "alarm_below"],
  ])("refuse %s", (_what, change, problem) => {
    expect(() => read(change)).toThrow(SettingsError);
    expect(() => read(change)).toThrow(problem);
  });

  it("refuse two rails of one name or wallet, and show no value", () => {
    const twice = JSON.stringify([given, { ...given, nodes: given.nodes.slice(0, 1) }]);
    expect(() => readBitcoinRails(twice)).toThrow("names of the rails must be unique");
    expect(() => readBitcoinRails(twice)).toThrow("must not share a wallet");
    expect(() => readBitcoinRails('[{"signer":"hunter2"}]')).not.toThrow("hunter2");
  });

  it("need agreeing nodes, finality and https in live mode", () => {
    expect(liveProblems(read())).toEqual([]);
    expect(liveProblems(read({ agreeing: 1 }))).toHaveLength(1);
    expect(liveProblems(read({ finality: 1 }))).toHaveLength(1);
    const open = read({ signer: { url: "http://signer.example", token_file: "/run/token" } });
    expect(liveProblems(open)).toHaveLength(1);
    const local = read({ signer: { url: "http://127.0.0.1:9", token_file: "/run/token" } });
    expect(liveProblems(local)).toEqual([]);
    const configure = () =>
      bitcoinRails.configure(JSON.stringify([{ ...given, agreeing: 1 }]), "live");
    expect(configure).toThrow(SettingsError);
  });

  it("name the servers to reach, without paths", () => {
    expect(serversOf(read())).toEqual([
      { rail: "bitcoin", host: "one.example", port: 443 },
      { rail: "bitcoin", host: "two.example", port: 443 },
    ]);
  });
});

it("a descriptor has the same key and script on each chain, and another address", () => {
  const main = readWalletKey(descriptor, "main");
  // The address of the curve's generator (BIP-173).
  expect(main?.address).toBe("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4");
  expect(main?.origin).toEqual({
    fingerprint: 0xd34db33f,
    path: [0x8000_0054, 0x8000_0000, 0x8000_0000, 0, 0],
  });
  const test = readWalletKey(descriptor, "signet");
  expect(test?.address).toBe("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx");
  expect(test?.script).toEqual(main?.script);
});
