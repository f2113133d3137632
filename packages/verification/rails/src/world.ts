import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBroker } from "@disburse/embedded/broker.ts";
import { startEngine } from "@disburse/embedded/engine.ts";
import type { Databases } from "@disburse/invariants/database-check.ts";
import { fundMerchant, startPlatform } from "@disburse/platform/platform.ts";
import { unlimitedRate } from "@disburse/platform/services.ts";
import { MongoClient } from "mongodb";
import { type BanksOptions, startBanks, whyNoBanks } from "./counterparts/banks.ts";
import { startBitcoin, whyNoBitcoin } from "./counterparts/bitcoin.ts";
import { startChain, whyNoChain } from "./counterparts/chain.ts";
import { fundRails, fundsOf } from "./counterparts/funding.ts";
import { routesOf } from "./counterparts/routes.ts";
import { startSolana } from "./counterparts/solana.ts";
import { openSecondPerson } from "./second-person.ts";

export type World = Awaited<ReturnType<typeof startWorld>>;

const prefix = "rails_";
const blockEveryMs = 500;

const ampleFunds = { amount: "900000.00", bitcoins: "240.00" };

/** Starts the platform and its counterparts. `ends` stops them, even after a failed start. */
export async function startWorld(ends: AsyncDisposableStack, options: BanksOptions) {
  const folder = mkdtempSync(join(tmpdir(), "rails-"));
  const { MONGODB_URI: _uri, AMQP_URL: _amqp, ...env } = process.env;
  const onExit = (what: string) => (how: string) =>
    void process.stderr.write(`the ${what} has ended: ${how}\n`);
  const engine = await startEngine({ dataDir: folder, env, onExit: onExit("engine") });
  ends.defer(engine.stop);
  const broker = await startBroker({ dataDir: folder, env, onExit: onExit("broker") });
  if (broker === undefined) throw new Error("The rails' tests need rabbitmq-server.");
  ends.defer(broker.stop);
  const chain = whyNoChain() === undefined ? await startChain(folder) : undefined;
  if (chain !== undefined) ends.defer(chain.stop);
  chain?.makeBlocks(blockEveryMs);
  const bitcoin = (await whyNoBitcoin()) === undefined ? await startBitcoin(folder) : undefined;
  if (bitcoin !== undefined) ends.defer(bitcoin.stop);
  bitcoin?.makeBlocks(blockEveryMs);
  const solana = await startSolana(folder);
  ends.defer(solana.stop);
  solana.makeBlocks(blockEveryMs);
  const banks = whyNoBanks() === undefined ? await startBanks(folder, options) : undefined;
  if (banks !== undefined) ends.defer(banks.stop);
  const platform = await startPlatform({
    mongodbUri: engine.uri,
    amqpUrl: broker.url,
    databasePrefix: prefix,
    busNamespace: "rails",
    settings: {
      ...unlimitedRate,
      LOG_LEVEL: "error",
      QUOTE_TTL_SECONDS: "600",
      RAIL_ROUTES: JSON.stringify(routesOf(chain, banks, bitcoin, solana)),
      ...(chain === undefined ? {} : { EVM_CHAINS: JSON.stringify([chain.settings]) }),
      ...(bitcoin === undefined ? {} : { BITCOIN_RAILS: JSON.stringify([bitcoin.settings]) }),
      SOLANA_CHAINS: JSON.stringify([solana.settings]),
      ...(banks === undefined ? {} : { BANK_RAILS_FILE: banks.settingsFile }),
    },
  });
  ends.defer(platform.stop);
  const second = openSecondPerson(platform);
  ends.defer(second.close);
  const funds = fundsOf(chain, banks, bitcoin, ampleFunds, solana);
  await fundRails(platform.clients, funds, second.approve);
  const client = new MongoClient(engine.uri("admin"));
  ends.defer(() => client.close());
  const databases: Databases = { client, prefix };
  let number = 0n;
  return {
    platform,
    chain,
    bitcoin,
    solana,
    banks,
    databases,
    ...(await fundMerchant(platform)),
    /** Returns a different number on each call. */
    nextNumber: (): bigint => {
      number += 1n;
      return number;
    },
  };
}
