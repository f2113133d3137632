import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { BeneficiaryDeps } from "./beneficiaries/rpc.ts";
import { openBeneficiaries } from "./beneficiaries/store.ts";
import { type DepositorDeps, openDepositors } from "./depositors/depositors.ts";
import { openSettings, type SettingsDeps } from "./settings/settings.ts";

/** Everything that the service's RPCs, its consumer and its sweep work with. */
export type ServiceDeps = BeneficiaryDeps & DepositorDeps & SettingsDeps;

/** Opens the collections and makes their indexes. */
export async function openStores({ db }: Database, sealer: Sealer) {
  return {
    beneficiaries: await openBeneficiaries(db, sealer),
    depositors: await openDepositors(db, sealer),
    settings: openSettings(db),
  };
}
