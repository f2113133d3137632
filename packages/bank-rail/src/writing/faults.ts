import type { FailureCode } from "@disburse/kernel/failure.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { StoredFault } from "../documents.ts";
import type { FileDefect, ProfileFaults } from "../format.ts";

/** A fault in the form that the writers of bank-files report. */
type Fault = { readonly payoutId?: string; readonly field: string; readonly problem: string };

type Unwritable = Refused<"UNWRITABLE"> & { readonly faults: readonly Fault[] };

/** Maps faulty beneficiary fields to failure codes, by the start of the field's name. */
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

/**
 * Returns the failure code of a payment that fits in no file. Returns `undefined` if the fault is
 * in the writer or the profile.
 */
export function failureOfFault(field: string): FailureCode | undefined {
  const found = codes.find(([start]) => field === start || field.startsWith(`${start}.`));
  return found?.[1];
}

/** Field names with which the writers report that a limit of one file is exceeded. */
const limits: ReadonlySet<string> = new Set(["credits", "payments", "traceFrom"]);

/** The written payments, and the payments that are left out. */
type Fitting<W> = { readonly written: W | undefined; readonly leftOut: readonly StoredFault[] };

/**
 * Writes all payments that fit. A payment with faulty data is left out with its first fault. If the
 * profile is at fault, no payment is left out.
 */
export function writeFitting<P extends { readonly payoutId: string }, W extends object>(
  payments: readonly P[],
  write: (payments: readonly P[]) => W | Unwritable,
): Fitting<W> | ProfileFaults | FileDefect {
  const first = write(payments);
  if (!isUnwritable(first)) return { written: first, leftOut: [] };
  const left = ownFaults(first.faults);
  if (left.size === 0 || first.faults.some(isOfProfile)) return refusalOf(first.faults);
  const leftOut = [...left.values()];
  const others = payments.filter(({ payoutId }) => !left.has(payoutId));
  if (others.length === 0) return { written: undefined, leftOut };
  const rest = write(others);
  return isUnwritable(rest) ? refusalOf(rest.faults) : { written: rest, leftOut };
}

function isUnwritable(result: object): result is Unwritable {
  return isRefused(result);
}

function ownFaults(faults: readonly Fault[]): ReadonlyMap<string, StoredFault> {
  const left = new Map<string, StoredFault>();
  for (const { payoutId: id, field, problem } of faults) {
    if (id === undefined || failureOfFault(field) === undefined || left.has(id)) continue;
    left.set(id, { id, field, problem });
  }
  return left;
}

function isOfProfile({ payoutId, field }: Fault): boolean {
  return payoutId === undefined && !limits.has(field);
}

function refusalOf(faults: readonly Fault[]): ProfileFaults | FileDefect {
  const ofProfile = faults.filter(isOfProfile);
  const named = ofProfile.length > 0 ? ofProfile : faults;
  const problems = [...new Set(named.map(({ field, problem }) => `${field}: ${problem}`))];
  return ofProfile.length > 0
    ? { ...refused("UNWRITABLE"), problems }
    : { ...refused("DEFECT"), problems };
}
