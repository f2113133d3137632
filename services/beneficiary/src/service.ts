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

/** Everything that the service's RPCs, its consumer and its sweep work with. */
export type ServiceDeps = BeneficiaryDeps &
  DepositorDeps &
  LinkDeps &
  MerchantDeps &
  SettingsDeps & { readonly operations: OperationBindings };

/** The stores of a database; `keyContent` is for digests of what is sealed. */
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

/** The RPCs of this service; proto/disburse/beneficiary/v1 says what each promises. */
export function beneficiaryRpc(deps: ServiceDeps): ServiceImpl<typeof BeneficiaryService> {
  const creating = { ...beneficiariesRpc(deps), ...depositorsRpc(deps) };
  return bindOperations(
    BeneficiaryService,
    { ...creating, ...linksRpc(deps), ...merchantsRpc(deps), ...settingsRpc(deps) },
    deps.operations,
    // A record keeps the content of the operation that made it.
    {
      own: [
        ...(["createCryptoBeneficiary", "createFiatBeneficiary", "createDepositor"] as const),
        "createMerchant",
      ],
    },
  );
}

/** The RPCs of a sandbox; beneficiary_sandbox.proto has them. */
export function sandboxRpc(
  deps: SandboxDeps & Pick<ServiceDeps, "operations">,
): ServiceImpl<typeof BeneficiarySandboxService> {
  return bindOperations(BeneficiarySandboxService, sandboxRecordsRpc(deps), deps.operations);
}
