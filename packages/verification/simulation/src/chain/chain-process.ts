import type { Chain } from "@disburse/chain-rail/chain.ts";
import { createDispatcher } from "@disburse/chain-rail/dispatcher.ts";
import { openTransferStore } from "@disburse/chain-rail/documents.ts";
import { createChainRail } from "@disburse/chain-rail/rail.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import type { Rail } from "@disburse/rail/rail.ts";
import { errorsOf, processLog, SimulatedFault } from "../checks/process-log.ts";
import { databaseLink, type Sabotage } from "../network/database-link.ts";
import type { ProcessInstance } from "../scheduler/host.ts";
import type { MemoryDatabase } from "../store/memory-database.ts";

const hopMs = 60;
/** Delay of a slow node. After this delay, a process's decision is outdated. */
const slowMs = 8_000;

/** Polling interval of an EVM rail for a wallet. */
const everyMs = 500;
const pollMs = 1_000;

export type SharedWallet = {
  readonly database: MemoryDatabase;
  readonly chain: Chain;
  readonly broken: string[];
  readonly sabotage?: Sabotage | undefined;
};

/**
 * Starts a process for a chain's wallet, like an EVM rail but without its lease. A lease doesn't
 * guarantee exclusion, so in the simulation all processes work at the same time.
 */
export function startChainProcess(shared: SharedWallet, instance: ProcessInstance): Rail {
  const { database, broken, sabotage } = shared;
  const log = errorsOf(processLog(instance, { broken }));
  const store = openTransferStore(databaseLink(instance, database, { sabotage }));
  const chain = chainLink(instance, shared.chain);
  const dispatcher = createDispatcher({
    chain,
    store,
    clock: systemClock,
    log,
    fees: { cap: 1_000n, tip: 1n, bumpAfterMs: 3_000 },
    watchBlocks: 6,
    unminedMax: 4,
    nonceFrom: 0,
    isPaused: async () => false,
    onEvent: (event) => {
      if (event === "bumped") instance.scheduler.faults.count("chain: fees bumped");
      if (event === "nonce_lost") instance.scheduler.faults.count("chain: nonce lost");
    },
  });
  const run = () => dispatcher.run(true).then(() => false);
  const wake = createWake();
  startLoop({ name: "wallet", everyMs, wake, run, log });
  return createChainRail({
    name: "chain",
    wallet: chain.wallet,
    store,
    dispatcher,
    clock: systemClock,
    pollMs,
    capabilities: {
      currencies: ["USDC_ETH"],
      transferMethods: ["CRYPTO"],
      networks: ["ETHEREUM"],
      limits: {},
    },
    wake: wake.notify,
  });
}

/**
 * Connects a process to a chain's nodes. The result of a read may be outdated when it arrives. Sent
 * bytes may arrive after the process has ended.
 */
function chainLink(instance: ProcessInstance, chain: Chain): Chain {
  const { scheduler } = instance;
  const { faults, random } = scheduler;
  const delayMs = () =>
    faults.happens("chain: slow", 0.02) ? random.below(slowMs) : random.fraction() * hopMs;
  const call = <T>(label: string, ask: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const later = (run: () => void) =>
        scheduler.after(delayMs(), { label: `chain ${label} answered`, owner: instance, run });
      scheduler.after(delayMs(), {
        label: `${instance.name} → chain ${label}`,
        run: () => {
          if (faults.happens("chain: no answer", 0.02)) {
            return later(() => reject(new SimulatedFault("no node answers")));
          }
          ask().then(
            (value) => later(() => resolve(value)),
            (error: unknown) => later(() => reject(error)),
          );
        },
      });
    });
  return {
    ...chain,
    check: () => call("check", chain.check),
    snapshot: () => call("snapshot", chain.snapshot),
    verdict: (...given) => call("verdict", () => chain.verdict(...given)),
    takerOf: (...given) => call("taker", () => chain.takerOf(...given)),
    send: (raw) =>
      call("send", async () => {
        if (!faults.happens("chain: bytes lost", 0.05)) await chain.send(raw);
      }),
  };
}
