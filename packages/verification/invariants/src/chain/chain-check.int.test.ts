import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { type Anvil, anvilPath, startAnvil, wallet } from "@disburse/testkit/evm/anvil.ts";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collectionOf, type Databases } from "../database-check.ts";
import { checkChain } from "./chain-check.ts";
import { openNode } from "./node.ts";
import type { ChainTransfer } from "./transfer-check.ts";

const to = `0x${"ab".repeat(20)}` as const;
const [digits, amount] = [6, 1_500_000n];
const selector = "0xa9059cbb";
const word = (value: string) => value.padStart(64, "0");

describe.skipIf(anvilPath() === undefined)("documents and a chain, on anvil", () => {
  let anvil: Anvil;
  let client: MongoClient;
  let databases: Databases;
  let hashes: `0x${string}`[];

  beforeAll(async () => {
    client = new MongoClient(mongodbUri("admin"));
    databases = { client, prefix: `${freshDatabase("chain")}_` };
    anvil = await startAnvil(anvilPath() ?? "");
    const token = await anvil.deployToken(digits, 10n ** 12n);
    const data = `${selector}${word(to.slice(2))}${word(amount.toString(16))}` as `0x${string}`;
    const pay = () =>
      anvil.client.sendTransaction({ account: wallet, to: token, data, gas: 120_000n });
    hashes = [await pay(), await pay()];
    await anvil.client.mine({ blocks: 1 });
    const [first] = hashes;
    const progress = { stage: "settled", reference: first };
    await collectionOf(databases, "payouts").insertOne({
      _id: "po_1",
      status: "succeeded",
      progress,
    } as never);
    await transfers().insertOne({
      ...{ _id: "po_1", wallet: `31337:${wallet.address.toLowerCase()}`, currency: "USDC_ETH" },
      ...{ amount_minor: amount, to, state: "settled", since: 0, end: { id: first ?? "" } },
      attempts: [{ id: first ?? "" }],
    });
  });
  afterAll(async () => {
    await anvil?.stop();
    await client?.db(`${databases.prefix}payout`).dropDatabase();
    await client?.close();
  });
  const transfers = () =>
    client.db(`${databases.prefix}payout`).collection<ChainTransfer>("chain_transfers");
  const found = async () => (await checkChain(databases, openNode(anvil.url))).findings;

  it("disagree where the wallet paid by a transaction of no payout, and agree without", async () => {
    const [first = "", second = ""] = hashes;
    expect(await found()).toEqual([expect.objectContaining({ invariant: 15, subject: second })]);
    // The second of two equal payments gets the first one's transfer.
    await transfers().updateOne(
      { _id: "po_1" },
      { $set: { attempts: [{ id: first }, { id: second }] } },
    );
    expect((await found()).map(({ detail }) => detail)).toEqual(["was paid by 2 transactions"]);
    await transfers().insertOne({
      ...{ _id: "po_2", wallet: `31337:${wallet.address.toLowerCase()}`, currency: "USDC_ETH" },
      ...{ amount_minor: amount, to, state: "settled", since: 0, end: { id: second } },
      attempts: [{ id: second }],
    });
    await transfers().updateOne({ _id: "po_1" }, { $set: { attempts: [{ id: first }] } });
    const progress = { stage: "settled", reference: second };
    await collectionOf(databases, "payouts").insertOne({
      _id: "po_2",
      status: "succeeded",
      progress,
    } as never);
    expect(await checkChain(databases, openNode(anvil.url))).toEqual({ checked: 2, findings: [] });
  });

  it("are not compared where the node does not answer, and its URL is not shown", async () => {
    const away = openNode("http://127.0.0.1:9/secret");
    const failed = await checkChain(databases, away).catch(String);
    expect(failed).toContain("returned no result for eth_chainId");
    expect(failed).not.toContain("secret");
  });
});
