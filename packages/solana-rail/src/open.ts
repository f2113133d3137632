import { createWalletWork } from "@disburse/chain-rail/wallet-work.ts";
import type { Loop } from "@disburse/chassis/loop.ts";
import type { Rail } from "@disburse/rail/rail.ts";
import type { RailContext } from "@disburse/rail/rail-package.ts";
import { openSolanaChain } from "./chain.ts";
import { createDispatcher } from "./dispatcher.ts";
import { openTransferStore } from "./documents.ts";
import { openKeystore } from "./keystore.ts";
import type { SolanaMetrics } from "./metrics.ts";
import { createSolanaRail } from "./rail.ts";
import { openRemoteSigner } from "./remote-signer.ts";
import type { SolanaSettings } from "./settings.ts";
import type { Signer } from "./signer.ts";

type SolanaRailDeps = Pick<RailContext, "database" | "clock" | "log" | "isPaused"> & {
  readonly metrics?: SolanaMetrics;
};

/** A rail with the name of the wallet that it pays from. */
export type SolanaRail = {
  readonly rail: Rail;
  readonly wallet: string;
  /** Runs the work once. */
  run(): Promise<unknown>;
  start(): Pick<Loop, "stop">;
};

const everyMs = 500;
const leaseMs = 3_000;

/** Opens the signer and the rail of a wallet. */
export async function openSolanaRail(
  settings: SolanaSettings,
  { database, clock, log, isPaused, metrics }: SolanaRailDeps,
): Promise<SolanaRail> {
  const { rail: name, native, tokens, overdue_after_minutes: overdue } = settings;
  const onNodeFailed = (node: number) => metrics?.nodeFailed(name, node);
  const chain = openSolanaChain(settings, await openSigner(settings), { log, onNodeFailed });
  const store = openTransferStore(database);
  const dispatcher = createDispatcher({
    chain,
    store,
    clock,
    log,
    unsettledMax: settings.unsettled_max,
    isPaused: () => isPaused(name),
    onEvent: (event) => metrics?.happened(name, event),
  });
  const work = createWalletWork(
    { database, log },
    {
      rail: name,
      dispatcher,
      everyMs,
      leaseMs,
      onState: (state) => metrics?.seen(name, state),
    },
  );
  const rail = createSolanaRail({
    name,
    wallet: chain.wallet,
    store,
    dispatcher,
    clock,
    wake: work.wake,
    pollMs: settings.poll_ms,
    settlesInMs: settings.settles_in_seconds && settings.settles_in_seconds * 1_000,
    ...(overdue !== undefined && { overdueAfterMs: overdue * 60_000 }),
    capabilities: {
      currencies: [...Object.keys(tokens), ...(native === undefined ? [] : [native])],
      transferMethods: ["CRYPTO"],
      networks: ["SOLANA"],
      limits: {},
    },
  });
  log.info({ rail: name }, "rail opened");
  return { rail, wallet: chain.wallet, run: work.run, start: work.start };
}

async function openSigner({ signer, wallet }: SolanaSettings): Promise<Signer> {
  return signer.kind === "keystore"
    ? openKeystore(signer, wallet)
    : openRemoteSigner(signer.url, wallet);
}
