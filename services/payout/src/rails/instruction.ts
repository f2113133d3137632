import { wordOf } from "@disburse/chassis/rpc/enum-words.ts";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { UnclearedStatus } from "../payouts/rules/clearance.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import type { Instruction } from "./rail.ts";
import type { RailWorkerDeps } from "./steps.ts";

/**
 * Reads the payment instruction of a payout, or why it may not be sent: one response of the
 * beneficiary service has both. A missing or unknown status clears nothing. A block between this
 * response and the rail call comes too late.
 */
export async function readInstruction(
  { beneficiary }: Pick<RailWorkerDeps, "beneficiary">,
  { quote }: Payout,
): Promise<Instruction | { readonly uncleared: UnclearedStatus }> {
  const { merchantId, beneficiary: paid, destination, receivingMinor, claim } = quote;
  const found = await beneficiary.getPaymentInstruction({ merchantId, beneficiaryId: paid.id });
  const screening = wordOf(ScreeningStatus, found.screeningStatus) ?? "pending";
  if (screening !== "cleared") return { uncleared: screening };
  return {
    referenceId: claim.referenceId,
    currency: destination,
    amount: receivingMinor,
    transferMethod: found.transferMethod,
    network: found.network,
    beneficiaryName: found.beneficiaryName,
    accountNumber: found.accountNumber,
    routingCodeType: found.routingCodeType1,
    routingCodeValue: found.routingCodeValue1,
    destinationCountry: found.destinationCountry,
  };
}
