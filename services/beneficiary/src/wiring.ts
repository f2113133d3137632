import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { type KeyContent, openOperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import type { Hashes } from "./beneficiaries/search.ts";
import { openBeneficiaries } from "./beneficiaries/store.ts";
import { openDepositors } from "./depositors/depositors.ts";
import { openLinks } from "./links/store.ts";
import { openMerchants } from "./merchants/merchants.ts";
import { openProfiles } from "./merchants/profile-store.ts";
import { openPermissions } from "./permissions/permissions.ts";

/** Opens the stores. `keyContent` computes keyed digests of requests with encrypted fields. */
export function openStores(
  database: Database,
  sealer: Sealer,
  hashes: Hashes,
  keyContent?: KeyContent,
) {
  const { db, watchPrimary } = database;
  return {
    watchPrimary,
    operations: openOperationBindings({ db }, keyContent),
    beneficiaries: openBeneficiaries(db, sealer, hashes),
    depositors: openDepositors(db, sealer),
    links: openLinks(db, sealer),
    merchants: openMerchants(db),
    profiles: openProfiles(db, sealer),
    permissions: openPermissions(db),
  };
}
