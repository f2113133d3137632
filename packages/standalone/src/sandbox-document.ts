import {
  type listedParties,
  listedParties as parties,
  riskyWallets,
} from "@disburse/sandbox/sandbox-list.ts";
import type { SeededSandbox } from "@disburse/sandbox/seed.ts";
import type { Platform } from "./platform.ts";

/** `DATA_DIR/sandbox.json` (decisions §8). */
export type SandboxDocument = SeededSandbox & {
  readonly base_url: string;
  readonly grpc: Readonly<
    Record<"beneficiary" | "compliance" | "quote" | "payout" | "notifier" | "gateway", string>
  >;
  readonly grpc_token: string;
  readonly risky_wallets: typeof riskyWallets;
  readonly listed_parties: typeof listedParties;
};

/** What the sandbox file says of a running platform. */
export function sandboxDocument(
  { services }: Platform,
  seeded: SeededSandbox,
  grpcToken: string,
): SandboxDocument {
  return {
    base_url: services.gateway.publicUrl ?? "",
    ...seeded,
    grpc: {
      beneficiary: services.beneficiary.url,
      compliance: services.compliance.url,
      quote: services.quote.url,
      payout: services.payout.url,
      notifier: services.notifier.url,
      gateway: services.gateway.url,
    },
    grpc_token: grpcToken,
    risky_wallets: riskyWallets,
    listed_parties: parties,
  };
}
