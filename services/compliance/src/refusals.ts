import { Code } from "@connectrpc/connect";
import { orThrowBy, publicRefusals, type RefusalTable } from "@disburse/chassis/rpc/refusal.ts";

type ComplianceRefusal =
  | "INVALID_REQUEST"
  | "RECORD_NOT_FOUND"
  | "ACCESS_FORBIDDEN"
  | "NO_LIST_IN_FORCE"
  | "INDEX_UNAVAILABLE"
  | "WALLET_PROVIDER_SILENT"
  | "IMPORT_RUNNING"
  | "IMPORT_OVERTAKEN";

// The request was not compared or assessed. The party is not cleared, and the caller must retry
// later.
const notScreened = {
  ...publicRefusals.SERVICE_UNAVAILABLE,
  message: "Screening is not possible at the moment.",
};

/** All refusals of this service, mapped to RPC errors. */
export const refusals: RefusalTable<ComplianceRefusal> = {
  ...publicRefusals,
  NO_LIST_IN_FORCE: {
    ...publicRefusals.SERVICE_UNAVAILABLE,
    message: "Sanctions lists are not in force yet.",
  },
  INDEX_UNAVAILABLE: notScreened,
  WALLET_PROVIDER_SILENT: notScreened,
  IMPORT_RUNNING: {
    ...publicRefusals.IDEMPOTENCY_IN_PROGRESS,
    message: "This import is still running.",
  },
  IMPORT_OVERTAKEN: {
    rpc: Code.Aborted,
    code: "IMPORT_OVERTAKEN",
    message: "Another import of this list came into force meanwhile; import again.",
  },
};

/** Returns a rule's result, or throws its refusal as the RPC's error. */
export const orThrow = orThrowBy(refusals);
