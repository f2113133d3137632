import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fatesByRules } from "@disburse/bank-simulator/fates.ts";
import { bearerIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import { connectServices } from "@disburse/sandbox/clients.ts";
import { startStandalone } from "@disburse/standalone/start.ts";
import { startBanks, whyNoBanks } from "../counterparts/banks.ts";
import { startChain, whyNoChain } from "../counterparts/chain.ts";
import { fundRails, fundsOf } from "../counterparts/funding.ts";
import { routesOf } from "../counterparts/routes.ts";
import { payByBanks } from "./bank.ts";
import { createPayer, wordsOf } from "./payer.ts";
import { show } from "./printed.ts";
import { closedAccount } from "./recipients.ts";
import { reconcile } from "./reconciled.ts";
import { payWallet } from "./wallet.ts";

/** `npm run demo:rails`: payouts over real rails to counterparts on this machine. */

const root = join(import.meta.dirname, "../../../../..");
const blockEveryMs = 500;
/** Long enough to see a payout settle before it comes back. */
const bankPaceMs = 1_500;
/** What the house has at each rail at first; one person may book as much in a day. */
const ownFunds = "40000";

async function demo(ends: (() => Promise<void> | void)[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "disburse-rails-"));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const skipped = [whyNoChain(), whyNoBanks()].filter((why) => why !== undefined);
  for (const why of skipped) show("Skipped", why);
  const chain = whyNoChain() === undefined ? await startChain(folder) : undefined;
  if (chain !== undefined) {
    ends.push(chain.stop);
    chain.makeBlocks(blockEveryMs);
    show(
      "Started a chain: anvil, a node of Ethereum with a chain of its own",
      `${chain.anvil.url}, a block every ${blockEveryMs} ms, USDC at ${chain.token}`,
    );
  }
  const fateOf = fatesByRules([{ fate: "returned", name: closedAccount }]);
  const banks =
    whyNoBanks() === undefined
      ? await startBanks(folder, {
          names: ["bank-usd", "bank-ach", "bank-eur"],
          choices: () => ({ fateOf, pace: bankPaceMs, opening: BigInt(ownFunds) * 100n }),
          // Each payment leaves at once.
          paymentsMax: () => 1,
        })
      : undefined;
  if (banks !== undefined) {
    ends.push(banks.stop);
    show("Started banks behind an SFTP server of OpenSSH", banks.address);
  }
  const standalone = await startStandalone(
    {
      ...process.env,
      LOG_LEVEL: process.env.LOG_LEVEL || "warn",
      PORT: "0",
      DATA_DIR: join(folder, "data"),
      RAIL_ROUTES: JSON.stringify(routesOf(chain, banks)),
      ...(chain === undefined ? {} : { EVM_CHAINS: JSON.stringify([chain.settings]) }),
      ...(banks === undefined ? {} : { BANK_RAILS_FILE: banks.settingsFile }),
    },
    root,
    (message) => {
      throw new Error(message);
    },
  );
  ends.push(standalone.stop);
  const { sandbox } = standalone;
  const payer = createPayer(sandbox);
  show("Started the platform", sandbox.base_url);
  const treasurer = connectServices(
    (name) => sandbox.grpc[name],
    bearerIdentity(sandbox.grpc_token),
  );
  ends.push(treasurer.close);
  await fundRails(treasurer.rpcs, fundsOf(chain, banks), `${ownFunds}.00`);
  show(
    "Booked what the house has at each rail, as its treasury does when money has arrived",
    ...fundsOf(chain, banks).map(
      ({ rail, currencyCode }) => `${ownFunds}.00 ${currencyCode} at ${rail}`,
    ),
  );
  if (chain !== undefined) await payWallet(payer, chain);
  if (banks !== undefined) await payByBanks(payer, banks);
  await reconcile(treasurer.rpcs, fundsOf(chain, banks));
  return skipped;
}

const ends: (() => Promise<void> | void)[] = [];
let ending: Promise<void> | undefined;
/** Ends all of it, once: an interrupted demo fails while it ends. */
function endAll(): Promise<void> {
  const end = async (): Promise<void> => {
    for (let next = ends.pop(); next !== undefined; next = ends.pop()) await next();
  };
  ending ??= end();
  return ending;
}
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => void endAll().finally(() => process.exit(1)));
}
try {
  const skipped = await demo(ends);
  await endAll();
  const but = skipped.length === 0 ? "" : ` ${skipped.length} part(s) were skipped, as said above.`;
  process.stdout.write(`\nThe demo is done.${but}\n`);
  process.exit(0);
} catch (error) {
  process.stderr.write(`\nThe demo failed: ${wordsOf(error)}\n`);
  await endAll();
  process.exit(1);
}
