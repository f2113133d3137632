import { invalidRequest, type Refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { OrderDocument, Orders } from "../orders/document.ts";
import type { Batches } from "./document.ts";
import type { CheckedLines } from "./lines.ts";
import { type EarlierLine, matchedLines } from "./rules/corrections.ts";

type Stores = { readonly batches: Batches; readonly lines: Orders; readonly clock: Clock };

/** Storing the lines and the batch of one request takes less. */
const creationMs = 60_000;

/** Matches a line that was or may be paid. */
const isOpen = { state: { $nin: ["failed", "cancelled"] as OrderDocument["state"][] } };

type Correction = {
  readonly merchantId: string;
  /** The batch whose failed lines are paid again. */
  readonly corrects: string;
  /** The new batch. */
  readonly batchId: string;
};

/** A failed line and the new line that pays it again. */
type Claim = {
  /** The line of the corrected batch. */
  readonly failedId: string;
  /** The first line of the chain, which each correction changes. */
  readonly firstId: string;
  readonly lineId: string;
  /** The line that failed to pay the first one again. */
  readonly before: string | undefined;
};

/**
 * Matches each new line with a failed line of the corrected batch by its reference, and adds the
 * problems of the others. A line that was or may be paid matches none, so nothing is paid twice.
 */
export async function checkedCorrection(
  stores: Stores,
  correction: Correction,
  checked: CheckedLines,
): Promise<{ readonly checked: CheckedLines; readonly claims: readonly Claim[] }> {
  const { corrects: _id, merchantId: merchant_id, batchId } = correction;
  if ((await stores.batches.findOne({ _id, merchant_id })) === null) {
    const problem = { field: "corrects_batch_id", problem: "must be one of your batches" };
    return { checked: { ...checked, ofBody: [...checked.ofBody, problem] }, claims: [] };
  }
  const earlier = await earlierLines(stores, _id, batchId);
  const references = checked.lines.map(({ referenceId }) => referenceId);
  const claims: Claim[] = [];
  const lines = matchedLines(earlier, references).map((match, at) => {
    const line = checked.lines[at];
    if (line === undefined) throw new Error("a reference has no line");
    if ("problem" in match) return { ...line, problems: [...line.problems, match] };
    const { id: failedId, firstId, correctedBy: before } = match;
    claims.push({ failedId, firstId, lineId: lineIdOf(batchId, at + 1), before });
    return line;
  });
  return { checked: { ...checked, lines }, claims };
}

/** Derives the id of a line of a batch. */
export function lineIdOf(batchId: string, number: number): string {
  return `${batchId}.${String(number).padStart(5, "0")}`;
}

/** Returns the batch of a line from the line's id. */
export function batchOfLine(lineId: string): string {
  return lineId.split(".")[0] ?? "";
}

async function earlierLines(
  stores: Stores,
  batchId: string,
  newBatchId: string,
): Promise<EarlierLine[]> {
  const projection = { state: 1, "details.reference_id": 1, corrected_by: 1, corrects: 1 };
  const found = await stores.lines
    .find({ batch_id: batchId }, { projection })
    .sort({ line: 1 })
    .toArray();
  const firstIds = found.flatMap(({ corrects }) => corrects ?? []);
  const firsts = await stores.lines
    .find({ _id: { $in: firstIds } }, { projection: { corrected_by: 1 } })
    .toArray();
  const correctedBy = new Map([...found, ...firsts].map((each) => [each._id, each.corrected_by]));
  const lines = found.map(({ _id: id, state, details, corrects: firstId = id }) => ({
    id,
    firstId,
    referenceId: details.reference_id,
    hasFailed: state === "failed",
    correctedBy: correctedBy.get(firstId),
  }));
  const others = lines.flatMap((each) => each.correctedBy ?? []);
  const payable = await payableLines(
    stores,
    others.filter((id) => batchOfLine(id) !== newBatchId),
  );
  return lines.map((each) => ({
    ...each,
    isCorrected: each.correctedBy !== undefined && payable.has(each.correctedBy),
  }));
}

/**
 * Returns the lines that were or may be paid. A line whose batch is missing after a while is never
 * paid: a crash ended the request that stored it.
 */
async function payableLines({ batches, lines, clock }: Stores, ids: readonly string[]) {
  if (ids.length === 0) return new Set<string>();
  const projection = { _id: 1, created_at: 1 } as const;
  const open = await lines.find({ _id: { $in: [...ids] }, ...isOpen }, { projection }).toArray();
  const batchIds = [...new Set(open.map(({ _id }) => batchOfLine(_id)))];
  const stored = await batches
    .find({ _id: { $in: batchIds } }, { projection: { _id: 1 } })
    .map(({ _id }) => _id)
    .toArray();
  const since = new Date(clock.now().getTime() - creationMs);
  const payable = open.filter(({ _id, created_at }) => {
    return created_at > since || stored.includes(batchOfLine(_id));
  });
  return new Set(payable.map(({ _id }) => _id));
}

/**
 * Binds the first line of each chain to the new line that pays it again, in one write for each. Only
 * this write decides, so two batches of one chain can't both pay the line. Call this after
 * the new lines are stored and before their batch, so that the lines of a refused batch are never
 * paid. A repeat of the operation finds its own claims.
 */
export async function claimFailed(
  { lines }: Pick<Stores, "lines">,
  claims: readonly Claim[],
): Promise<"claimed" | Refused<"INVALID_REQUEST">> {
  if (claims.length === 0) return "claimed";
  const conflict = invalidRequest([
    { field: "corrects_batch_id", problem: "was corrected by another batch at the same time" },
  ]);
  const before = claims.flatMap((claim) =>
    claim.before === claim.lineId ? [] : (claim.before ?? []),
  );
  const others = { _id: { $in: before } };
  // A line whose batch was never stored can't be paid after this, even if its request is only slow.
  await lines.updateMany(
    { ...others, state: "waiting", quote: { $exists: false } },
    { $set: { state: "cancelled" }, $currentDate: { updated_at: true } },
  );
  if ((await lines.countDocuments({ ...others, ...isOpen }, { limit: 1 })) > 0) return conflict;
  const { matchedCount } = await lines.bulkWrite(
    claims.map(({ firstId: _id, lineId, before }) => ({
      updateOne: {
        filter: { _id, state: "failed", corrected_by: before ?? { $exists: false } },
        update: { $set: { corrected_by: lineId } },
      },
    })),
    { ordered: false },
  );
  if (matchedCount < claims.length) return conflict;
  const shown = claims.filter(({ failedId, firstId }) => failedId !== firstId);
  if (shown.length > 0) {
    await lines.bulkWrite(
      shown.map(({ failedId: _id, lineId: corrected_by }) => ({
        updateOne: { filter: { _id }, update: { $set: { corrected_by } } },
      })),
    );
  }
  return "claimed";
}
