import type { ServiceImpl } from "@connectrpc/connect";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import {
  bindOperations,
  type KeyContent,
  type OperationBindings,
  openOperationBindings,
} from "@disburse/chassis/mutations/bindings.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { BeneficiarySandboxService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_sandbox_pb.ts";
import { type BeneficiaryDeps, beneficiariesRpc } from "./beneficiaries/rpc.ts";
import { openBeneficiaries } from "./beneficiaries/store.ts";
import { type DepositorDeps, depositorsRpc, openDepositors } from "./depositors/depositors.ts";
import { type LinkDeps, linksRpc } from "./links/rpc.ts";
import { openLinks } from "./links/store.ts";
import { type MerchantDeps, merchantsRpc, openMerchants } from "./merchants/merchants.ts";
import { type SandboxDeps, sandboxRecordsRpc } from "./sandbox/rpc.ts";
import { openSettings, type SettingsDeps, settingsRpc } from "./settings/settings.ts";

export type ServiceDeps = BeneficiaryDeps &
  DepositorDeps &
  LinkDeps &
  MerchantDeps &
  SettingsDeps & { readonly operations: OperationBindings };

/** `keyContent` keys the digests of sealed content. */
export function openStores({ db }: Database, sealer: Sealer, keyContent?: KeyContent) {
  return {
    operations: openOperationBindings({ db }, keyContent),
    beneficiaries: openBeneficiaries(db, sealer),
    depositors: openDepositors(db, sealer),
    links: openLinks(db, sealer),
    merchants: openMerchants(db),
    settings: openSettings(db),
  };
}

/** For the contract of the RPCs see proto/disburse/beneficiary/v1. */
export function beneficiaryRpc(deps: ServiceDeps): ServiceImpl<typeof BeneficiaryService> {
  const creating = { ...beneficiariesRpc(deps), ...depositorsRpc(deps) };
  return bindOperations(
    BeneficiaryService,
    { ...creating, ...linksRpc(deps), ...merchantsRpc(deps), ...settingsRpc(deps) },
    deps.operations,
    // These records keep the content of their own operation.
    {
      own: [
        ...(["createCryptoBeneficiary", "createFiatBeneficiary", "createDepositor"] as const),
        "createMerchant",
      ],
    },
  );
}

/** For the contract of the RPCs see beneficiary_sandbox.proto. */
export function sandboxRpc(
  deps: SandboxDeps & Pick<ServiceDeps, "operations">,
): ServiceImpl<typeof BeneficiarySandboxService> {
  return bindOperations(BeneficiarySandboxService, sandboxRecordsRpc(deps), deps.operations);
}
