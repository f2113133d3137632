import type { ServiceImpl } from "@connectrpc/connect";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { beneficiariesRpc } from "./beneficiaries/rpc.ts";
import { depositorsRpc } from "./depositors/depositors.ts";
import type { ServiceDeps } from "./service.ts";
import { settingsRpc } from "./settings/settings.ts";

/** The RPCs of this service; proto/disburse/beneficiary/v1 says what each promises. */
export function beneficiaryRpc(deps: ServiceDeps): ServiceImpl<typeof BeneficiaryService> {
  return { ...beneficiariesRpc(deps), ...depositorsRpc(deps), ...settingsRpc(deps) };
}
