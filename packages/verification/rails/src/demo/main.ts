import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { outcomesByRules } from "@disburse/bank-simulator/outcomes.ts";
import { bearerIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import { connectServices, type SandboxClients } from "@disburse/sandbox/clients.ts";
import { startStandalone } from "@disburse/standalone/start.ts";
import { startBanks, whyNoBanks } from "../counterparts/banks.ts";
import { startBitcoin, whyNoBitcoin } from "../counterparts/bitcoin.ts";
import { type Chain, startChain, whyNoChain } from "../counterparts/chain.ts";
import { fundRails, fundsOf } from "../counterparts/funding.ts";
import { routesOf } from "../counterparts/routes.ts";
import { startSolana } from "../counterparts/solana.ts";
import { payByBanks } from "./bank.ts";
import { payBitcoin } from "./bitcoin.ts";
import { createPayer, inUsdc, messageOf, type Payer } from "./payer.ts";
import { show } from "./printed.ts";
import { byWallet, closedAccount, paidWallet } from "./recipients.ts";
import { payOnSolana } from "./solana.ts";

/** The rail accepts a statement at the second poll of the bank's folder. */
const takenTimeoutMs = 15_000;
const pollEveryMs = 500;

const settleTimeoutMs = 30_000;

/** `npm run demo:rails` sends payouts over real rails to counterparts on this machine. */

const root = join(import.meta.dirname, "../../../../..");
const blockEveryMs = 500;
/** Leaves time to see a payout settle before it is returned. */
const bankPaceMs = 1_500;
/**
 * Initial balance of the platform account at each rail. This is the daily maximum that one person
 * may credit.
 */
const ownFunds = "40000";
const ownBitcoins = "0.50";
/** Leaves time for a second payout to join the batch of the first. */
const patient = { batch_after_seconds: 4 };

async function demo(ends: (() => Promise<void> | void)[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "disburse-rails-"));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const noBitcoin = await whyNoBitcoin();
  const skipped = [whyNoChain(), noBitcoin, whyNoBanks()].filter((why) => why !== undefined);
  for (const why of skipped) show("Skipped", why);
  const { chain, bitcoin, solana } = await startChains(ends, { folder, noBitcoin });
  const outcomeOf = outcomesByRules([{ outcome: "returned", name: closedAccount }]);
  const banks =
    whyNoBanks() === undefined
      ? await startBanks(folder, {
          names: ["bank-usd", "bank-ach", "bank-eur"],
          choices: () => ({ outcomeOf, pace: bankPaceMs, opening: BigInt(ownFunds) * 100n }),
          // Each payment fills a file and is sent immediately.
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
      RAIL_ROUTES: JSON.stringify(routesOf(chain, banks, bitcoin, solana)),
      ...(chain === undefined ? {} : { EVM_CHAINS: JSON.stringify([chain.settings]) }),
      ...(bitcoin === undefined
        ? {}
        : { BITCOIN_RAILS: JSON.stringify([{ ...bitcoin.settings, ...patient }]) }),
      SOLANA_CHAINS: JSON.stringify([solana.settings]),
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
    bearerIdentity(sandbox.grpc_token ?? ""),
  );
  ends.push(treasurer.close);
  const amounts = { amount: `${ownFunds}.00`, bitcoins: ownBitcoins };
  const funds = fundsOf(chain, banks, bitcoin, amounts, solana);
  await fundRails(treasurer.rpcs, funds);
  show(
    "Credited the platform account at each rail, as treasury does when money has arrived",
    ...funds.map(({ rail, currencyCode, amount }) => `${amount} ${currencyCode} at ${rail}`),
  );
  if (chain !== undefined) await payWallet(payer, chain);
  if (bitcoin !== undefined) await payBitcoin(payer, bitcoin, treasurer.rpcs);
  await payOnSolana(payer, solana);
  if (banks !== undefined) await payByBanks(payer, banks);
  await reconcile(treasurer.rpcs, funds);
  return skipped;
}

async function startChains(
  ends: (() => Promise<void> | void)[],
  { folder, noBitcoin }: { readonly folder: string; readonly noBitcoin: string | undefined },
) {
  const chain = whyNoChain() === undefined ? await startChain(folder) : undefined;
  if (chain !== undefined) {
    ends.push(chain.stop);
    chain.makeBlocks(blockEveryMs);
    show(
      "Started a chain: anvil, a node of Ethereum with a chain of its own",
      `${chain.anvil.url}, a block every ${blockEveryMs} ms, USDC at ${chain.token}`,
    );
  }
  const bitcoin = noBitcoin === undefined ? await startBitcoin(folder) : undefined;
  if (bitcoin !== undefined) {
    ends.push(bitcoin.stop);
    show(
      "Started a Bitcoin node with a chain of its own (regtest)",
      `${bitcoin.node.url}, a block every ${blockEveryMs} ms; it watches the wallet ${bitcoin.address}`,
    );
  }
  const solana = await startSolana(folder);
  ends.push(solana.stop);
  solana.makeBlocks(blockEveryMs);
  show(
    "Started Solana's runtime (litesvm) behind two stand-ins of nodes",
    `${solana.urls.join(" and ")}, a block every ${blockEveryMs} ms, USDC at ${solana.mint}`,
  );
  return { chain, bitcoin, solana };
}

const ends: (() => Promise<void> | void)[] = [];
let ending: Promise<void> | undefined;
/** Stops everything once, because an interrupted demo also fails while it stops. */
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
  const but =
    skipped.length === 0 ? "" : ` ${skipped.length} part(s) were skipped for the reasons above.`;
  process.stdout.write(`\nThe demo is done.${but}\n`);
  process.exit(0);
} catch (error) {
  process.stderr.write(`\nThe demo failed: ${messageOf(error)}\n`);
  await endAll();
  process.exit(1);
}

/** Pays USDC to a wallet and shows the transaction on the chain. */
async function payWallet({ disburse, pay, until }: Payer, chain: Chain): Promise<void> {
  const { beneficiary_id: id } = await disburse.beneficiaries.createCrypto(byWallet);
  const payoutId = await pay(id, "USDC_ETH", "250.00", "demo-wallet");
  show(
    "Executed: 250.00 USD to a wallet, as USDC",
    `payout ${payoutId}`,
    `the rail gives it a nonce, stores the signed bytes, and only then sends them`,
  );
  const paid = await until(payoutId, ({ status }) => status !== "initiated", settleTimeoutMs);
  const hash = paid.unique_transaction_reference as `0x${string}`;
  const receipt = await chain.anvil.client.getTransactionReceipt({ hash });
  const transaction = await chain.anvil.client.getTransaction({ hash });
  const [transfer] = (await chain.transfers()).filter((each) => each.hash === hash);
  if (transfer === undefined) throw new Error(`the chain has no transfer with the hash ${hash}`);
  show(
    `On the chain: the payout is ${paid.status}`,
    `transaction ${hash}`,
    `block ${receipt.blockNumber}, nonce ${transaction.nonce}, status ${receipt.status}, ${receipt.gasUsed} gas`,
    `Transfer of ${inUsdc(transfer.value)} USDC from ${chain.wallet} to ${transfer.to}`,
    `the wallet has ${inUsdc(await chain.balanceOf(paidWallet))} USDC; the quote said ${paid.receiving_amount}`,
  );
}

/** Compares each rail account's day with its bank's statement. */
async function reconcile(
  { operations }: Pick<SandboxClients, "operations">,
  rails: readonly { readonly rail: string; readonly currencyCode: string }[],
): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  for (const { rail, currencyCode } of rails) {
    const latest = Date.now() + (rail.startsWith("bank-") ? takenTimeoutMs : 0);
    let { report } = await operations.getRailReport({ rail, currencyCode, day });
    while (report?.statementClosing === "" && Date.now() < latest) {
      await pause(pollEveryMs);
      ({ report } = await operations.getRailReport({ rail, currencyCode, day }));
    }
    if (report === undefined) throw new Error(`the rail ${rail} has no report for ${day}`);
    const { opening, funded, paid, returned, charges, closing, held } = report;
    const { statementClosing: statement, difference, unexplained } = report;
    show(
      `The day of ${rail} in our books, ${currencyCode}`,
      `opening ${opening}, funded ${funded}, paid ${paid}, returned ${returned}, charges ${charges}: closing ${closing}, of which ${held} on its way`,
      statement === ""
        ? "no bank says what it has there: the chain does"
        : `its statement says ${statement}: difference ${difference}, unexplained ${unexplained}`,
    );
    if (statement !== "" && !/^-?0(?:\.0+)?$/.test(unexplained)) {
      throw new Error(
        `the statement of ${rail} differs by an unexplained ${unexplained} ${currencyCode}`,
      );
    }
  }
}
