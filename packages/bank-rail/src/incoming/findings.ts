import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { insertMissing, type Seals, sha256Of } from "../contents.ts";
import type { BankStore, FindingDocument, FindingKind, ReceivedDocument } from "../documents.ts";

/** An issue in a file that operators have to handle. */
export type Found = {
  readonly kind: FindingKind;
  readonly what: string;
  readonly place?: string;
  readonly payoutId?: string;
  readonly amount?: string;
  /** Personal data, which is encrypted before storage. */
  readonly details?: string;
  /** While this finding is open, the rail draws no conclusion from a missing response. */
  readonly holds?: boolean;
};

/**
 * The file that the findings are about: one for the bank, or one from the bank with the number of
 * its reading.
 */
export type FindingSource = {
  readonly file: string;
  readonly name: string;
  readonly received?: Pick<ReceivedDocument, "_id" | "reads">;
};

const findingsAtOnce = 500;

const findingContext = (id: string) => `${id}|bank finding`;

/**
 * Stores findings. Findings of an earlier reading do not change, even if operators have handled
 * them. Each new reading of a file adds its own findings.
 */
export async function noteFindings(
  work: {
    readonly rail: string;
    readonly store: Pick<BankStore, "findings">;
    readonly sealer: Seals;
    readonly clock: Clock;
  },
  of: FindingSource,
  found: readonly Found[],
): Promise<void> {
  for (let from = 0; from < found.length; from += findingsAtOnce) {
    const documents = new Map(
      found
        .slice(from, from + findingsAtOnce)
        .map((each) => documentOf(work, of, each))
        .map((document) => [document._id, document]),
    );
    await insertMissing(work.store.findings, [...documents.values()]);
  }
}

function documentOf(
  { rail, sealer, clock }: { readonly rail: string; readonly sealer: Seals; readonly clock: Clock },
  of: FindingSource,
  { kind, what, place, payoutId, amount, details, holds }: Found,
): FindingDocument {
  const { reads = 0 } = of.received ?? {};
  const key = [of.file, kind, what, payoutId ?? "", place ?? ""].join("|");
  const _id = sha256Of(new TextEncoder().encode(reads === 0 ? key : `${key}|${reads}`));
  return {
    _id,
    schema_version: 1,
    rail,
    kind,
    what,
    file: of.name,
    ...(of.received !== undefined && { received: of.received._id, reading: reads }),
    ...(payoutId !== undefined && { payout_id: payoutId }),
    ...(place !== undefined && { place }),
    ...(amount !== undefined && { amount }),
    ...(details !== undefined && { sealed: sealer.seal(details, findingContext(_id)) }),
    ...(holds === true && { holds }),
    open: true,
    created_at: clock.now(),
  };
}

/** Decrypts the details of a finding. Returns "" if there are none. */
export function findingDetails({ _id, sealed }: FindingDocument, sealer: Seals): string {
  return sealed === undefined ? "" : sealer.open(sealed, findingContext(_id));
}

export const sealedFindings: SealedPlace = {
  collection: "bank_findings",
  reseal: ({ _id, sealed }, sealer) => {
    if (sealed === undefined) return undefined;
    const context = findingContext(String(_id));
    return resealTexts([{ path: "sealed", text: sealed, context }], sealer);
  },
};
