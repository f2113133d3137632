import type { Platform } from "../platform.ts";
import { type Callers, makerOf, mutationFor } from "./callers.ts";

/**
 * Asks for a payout to be paid again, at times as two requests at once: the new payouts' ids, and
 * the codes of refusals.
 */
export async function reissueOnce(
  { rpc }: Pick<Platform, "rpc">,
  callers: Callers,
  { merchantId, payoutId }: { readonly merchantId: string; readonly payoutId: string },
): Promise<string[]> {
  const request = async (): Promise<string[]> => {
    const mutation = mutationFor(makerOf(merchantId), callers.operation());
    const ask = () => rpc.payout.reissuePayout({ mutation, merchantId, payoutId });
    const answers = await callers.askTwice(ask);
    return answers.map((each) => (typeof each === "string" ? each : (each.payout?.id ?? "")));
  };
  return (await Promise.all([request(), request()])).flat();
}
