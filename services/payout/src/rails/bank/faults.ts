import type { FailureCode } from "@disburse/kernel/failure.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { StoredFault } from "./documents.ts";
import type { ProfileFaults } from "./format.ts";

/** A fault as the writers of bank-files name it. */
type Fault = { readonly payoutId?: string; readonly field: string; readonly problem: string };

/** What merchants read of a beneficiary that does not fit a file, by the start of the field. */
const codes: readonly (readonly [field: string, code: FailureCode])[] = [
  ["creditor.account", "INVALID_ACCOUNT"],
  ["account", "INVALID_ACCOUNT"],
  ["creditor.agent", "INVALID_ROUTING"],
  ["routing", "INVALID_ROUTING"],
  ["creditor.name", "INVALID_NAME"],
  ["name", "INVALID_NAME"],
  ["creditor.address", "INVALID_ADDRESS"],
  ["remittance", "INVALID_REMITTANCE"],
  ["purpose", "INVALID_REMITTANCE"],
  ["amount", "AMOUNT_NOT_ACCEPTED"],
  ["cents", "AMOUNT_NOT_ACCEPTED"],
];

/** Why a payment fails that no file can carry; `undefined`: the fault is ours, not its own. */
export function failureOfFault(field: string): FailureCode | undefined {
  const found = codes.find(([start]) => field === start || field.startsWith(`${start}.`));
  return found?.[1];
}

/**
 * The first fault of each payment, which is left out. `undefined` where one is not of a payment's
 * own data: then none is to blame, and none fails.
 */
export function leftOut(faults: readonly Fault[]): ReadonlyMap<string, StoredFault> | undefined {
  const left = new Map<string, StoredFault>();
  for (const { payoutId: id, field, problem } of faults) {
    if (id === undefined || failureOfFault(field) === undefined) return undefined;
    if (!left.has(id)) left.set(id, { id, field, problem });
  }
  return left;
}

/** What of a profile cannot be written, in words for operators. */
export function profileFaults(faults: readonly Fault[]): ProfileFaults {
  const own = faults.filter(({ payoutId: id, field }) => {
    return id === undefined || failureOfFault(field) === undefined;
  });
  const problems = new Set(own.map(({ field, problem }) => `${field}: ${problem}`));
  return { ...refused("UNWRITABLE"), problems: [...problems] };
}
