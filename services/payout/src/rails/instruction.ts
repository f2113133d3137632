import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { UnclearedStatus } from "../payouts/rules/clearance.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import type { Instruction } from "./rail.ts";
import type { RailWorkerDeps } from "./steps.ts";

/** A status that nobody said, or that is not known here, has cleared nobody. */
function unclearedStatus(status: ScreeningStatus): UnclearedStatus | undefined {
  switch (status) {
    case ScreeningStatus.CLEARED:
      return undefined;
    case ScreeningStatus.REVIEW:
      return "review";
    case ScreeningStatus.BLOCKED:
      return "blocked";
    default:
      return "pending";
  }
}

/**
 * What a rail is told of a payout, or why it may not be sent: one answer of the beneficiary service
 * tells both. A block that comes between this answer and the call of the rail comes too late.
 */
export async function readInstruction(
  { beneficiary }: Pick<RailWorkerDeps, "beneficiary">,
  { quote }: Payout,
): Promise<Instruction | { readonly uncleared: UnclearedStatus }> {
  const { merchantId, beneficiary: paid, destination, receivingMinor, claim } = quote;
  const told = await beneficiary.getPaymentInstruction({ merchantId, beneficiaryId: paid.id });
  const uncleared = unclearedStatus(told.screeningStatus);
  if (uncleared !== undefined) return { uncleared };
  return {
    referenceId: claim.referenceId,
    currency: destination,
    amount: receivingMinor,
    transferMethod: told.transferMethod,
    network: told.network,
    beneficiaryName: told.beneficiaryName,
    accountNumber: told.accountNumber,
    routingCodeType: told.routingCodeType1,
    routingCodeValue: told.routingCodeValue1,
    destinationCountry: told.destinationCountry,
  };
}
