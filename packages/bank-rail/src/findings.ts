import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { insertMissing, type Seals, sha256Of } from "./contents.ts";
import type { BankStore, FindingDocument, FindingKind, ReceivedDocument } from "./documents.ts";

/** Something that operators have to look at, as it is found in a file. */
export type Found = {
  readonly kind: FindingKind;
  readonly what: string;
  readonly place?: string;
  readonly payoutId?: string;
  readonly amount?: string;
  /** Personal data, to be sealed. */
  readonly details?: string;
  /** While it is open, silence proves nothing. */
  readonly holds?: boolean;
};

/** The file that findings are about: one of ours, or one of the bank with its times of reading. */
export type FindingSource = {
  readonly file: string;
  readonly name: string;
  readonly received?: Pick<ReceivedDocument, "_id" | "reads">;
};

/** Findings that one insert sends. */
const findingsAtOnce = 500;

/** What a finding's details are sealed for. */
const findingContext = (id: string) => `${id}|bank finding`;

/**
 * Keeps what operators have to look at. A finding of one reading stays as it is, handled or not; a
 * file that is read again has findings of its own.
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
