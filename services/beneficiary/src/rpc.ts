import type { ServiceImpl } from "@connectrpc/connect";
import { bindOperations, type OperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { BeneficiarySandboxService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_sandbox_pb.ts";
import { type BeneficiaryDeps, beneficiariesRpc } from "./beneficiaries/rpc.ts";
import { type DepositorDeps, depositorsRpc } from "./depositors/depositors.ts";
import { type LinkDeps, linksRpc } from "./links/rpc.ts";
import { type MerchantDeps, merchantsRpc } from "./merchants/merchants.ts";
import { type ProfileDeps, profileRpc } from "./merchants/profile.ts";
import { type PermissionsDeps, permissionsRpc } from "./permissions/permissions.ts";
import { type SandboxDeps, sandboxRecordsRpc } from "./sandbox/rpc.ts";

export type ServiceDeps = BeneficiaryDeps &
  DepositorDeps &
  LinkDeps &
  MerchantDeps &
  ProfileDeps &
  PermissionsDeps & { readonly operations: OperationBindings };

/** For the contract of the RPCs see proto/disburse/beneficiary/v1. */
export function beneficiaryRpc(deps: ServiceDeps): ServiceImpl<typeof BeneficiaryService> {
  const creating = { ...beneficiariesRpc(deps), ...depositorsRpc(deps) };
  return bindOperations(
    BeneficiaryService,
    {
      ...creating,
      ...linksRpc(deps),
      ...merchantsRpc(deps),
      ...profileRpc(deps),
      ...permissionsRpc(deps),
    },
    deps.operations,
    // These RPCs store the digest of the operation's request in the record itself.
    {
      own: [
        ...(["createCryptoBeneficiary", "createFiatBeneficiary", "createDepositor"] as const),
        "createMerchant",
      ],
      decisions: ["updateMerchantProfile", "setMerchantLogo"],
    },
  );
}

/** For the contract of the RPCs see beneficiary_sandbox.proto. */
export function sandboxRpc(
  deps: SandboxDeps & Pick<ServiceDeps, "operations">,
): ServiceImpl<typeof BeneficiarySandboxService> {
  return bindOperations(BeneficiarySandboxService, sandboxRecordsRpc(deps), deps.operations);
}
