import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type Seals, sha256Of } from "./contents.ts";
import type { BankStore, FindingDocument } from "./documents.ts";
import type { Found } from "./format.ts";
import { insertMissing } from "./insert-missing.ts";

/** Findings that one insert sends. */
const findingsAtOnce = 500;

/** What a finding's details are sealed for. */
const findingContext = (id: string) => `${id}|bank finding`;

/** Keeps what operators have to look at; what was found before stays as it is, handled or not. */
export async function noteFindings(
  work: {
    readonly rail: string;
    readonly store: Pick<BankStore, "findings">;
    readonly sealer: Seals;
    readonly clock: Clock;
  },
  of: { readonly file: string; readonly name: string },
  found: readonly Found[],
): Promise<void> {
  const { rail, store, sealer, clock } = work;
  const documents = found.map((each): FindingDocument => {
    const { kind, what, place, payoutId, amount, details } = each;
    const key = [of.file, kind, what, payoutId ?? "", place ?? ""].join("|");
    const _id = sha256Of(new TextEncoder().encode(key));
    return {
      ...{ _id, schema_version: 1, rail, kind, what, file: of.name },
      ...(payoutId !== undefined && { payout_id: payoutId }),
      ...(place !== undefined && { place }),
      ...(amount !== undefined && { amount }),
      ...(details !== undefined && { sealed: sealer.seal(details, findingContext(_id)) }),
      ...{ open: true, created_at: clock.now() },
    };
  });
  for (let from = 0; from < documents.length; from += findingsAtOnce) {
    await insertMissing(store.findings, documents.slice(from, from + findingsAtOnce));
  }
}

/** What a finding has sealed; "" for nothing. */
export function findingDetails({ _id, sealed }: FindingDocument, sealer: Seals): string {
  return sealed === undefined ? "" : sealer.open(sealed, findingContext(_id));
}

/** Where findings are sealed. */
export const sealedFindings: SealedPlace = {
  collection: "bank_findings",
  reseal: ({ _id, sealed }, sealer) => {
    if (sealed === undefined) return undefined;
    const context = findingContext(String(_id));
    return resealTexts([{ path: "sealed", text: sealed, context }], sealer);
  },
};
