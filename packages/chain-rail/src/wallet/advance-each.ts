import type { Log } from "@disburse/chassis/log.ts";

/** Advances each transfer. A failure is logged and does not affect the other transfers. */
export async function advanceEach<Transfer extends { readonly _id: string }>(
  { log }: { readonly log: Log },
  transfers: readonly Transfer[],
  advance: (transfer: Transfer, at: number) => Promise<void>,
): Promise<void> {
  const advancing = transfers.map(async (transfer, at) => {
    try {
      await advance(transfer, at);
    } catch (error) {
      log.error(
        { err: error, payout_id: transfer._id },
        "processing a blockchain transfer failed; it will be retried",
      );
    }
  });
  await Promise.all(advancing);
}
