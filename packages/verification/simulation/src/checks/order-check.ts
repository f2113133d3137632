import type { Platform } from "../platform.ts";
import type { Document } from "../store/value.ts";
import type { HeardBatch } from "../workload/batches.ts";
import type { Workload } from "../workload/workload.ts";
import { payoutsIn } from "./payouts.ts";

/** Requires that each scheduled payout or batch line created at most one payout. */
export function wrongOrders(platform: Platform, workload: Workload): string[] {
  const stored = (name: string) => platform.databases.payout.documents(name);
  const payouts = payoutsIn(platform.databases.payout);
  const ofOrder = Map.groupBy(payouts, ({ operation_id }) => String(operation_id).split(".")[0]);
  const ofWait = Map.groupBy(payouts, waitOf);
  const ofBatch = Map.groupBy(payouts, ({ batch_id }) => batch_id);
  const linesOf = Map.groupBy(stored("batch_lines"), ({ batch_id }) => batch_id);
  const batches = stored("batches");
  const heard = new Set(workload.batches.all.flatMap(({ answers }) => answers));
  return [
    ...stored("scheduled_payouts").flatMap((order) => {
      const created = ofOrder.get(String(order._id)) ?? [];
      return [...wrongOrder(order, created), ...wrongOrigin(order, created, "scheduled_payout_id")];
    }),
    ...wrongSchedules(platform, workload),
    ...stored("waiting_payouts").flatMap((wait) =>
      wrongWait(wait, ofWait.get(String(wait._id)) ?? []),
    ),
    ...batches.flatMap((batch) => {
      const paid = ofBatch.get(batch._id) ?? [];
      // A batch of which no caller heard was created after the last caller gave up.
      const isUndecided = batch.state === "awaiting_approval" && !heard.has(String(batch._id));
      if (isUndecided) return paid.map(({ _id }) => `${_id} was paid without an approval`);
      return wrongBatch(batch, linesOf.get(batch._id) ?? [], paid);
    }),
    ...workload.batches.all.flatMap((heard) => wrongAnswers(batches, heard)),
  ];
}

/** Requires one payout for an executed order and none otherwise. */
function wrongOrder(
  { _id, state, payout_id, reserved }: Document,
  created: readonly Document[],
): string[] {
  const ids = created.map((each) => each._id);
  const isOnce = state === "executed" ? ids.length === 1 && ids[0] === payout_id : ids.length === 0;
  return [
    ...(isOnce ? [] : [`${_id} is ${state}, and made ${ids.join(", ") || "no payout"}`]),
    ...(state === "waiting" || state === "reserving" ? [`${_id} is ${state} without end`] : []),
    ...(reserved === true ? [`${_id} keeps its reservation`] : []),
  ];
}

/**
 * Returns the waiting payout that made a payout. No attempt, `<payout>.<attempt>`, may make a payout
 * under another id.
 */
function waitOf({ _id, operation_id }: Document): string {
  return /^(po_\w+)\.\d+$/.exec(String(operation_id))?.[1] ?? String(_id);
}

/** Requires that a payout that waited for balance has ended, within its maximum. */
function wrongWait(wait: Document, made: readonly Document[]): string[] {
  const { _id, state, max_source_minor } = wait;
  const dear = made.filter(
    ({ source_minor }) => BigInt(String(source_minor)) > BigInt(String(max_source_minor)),
  );
  const isOpen = state === "waiting" || state === "awaiting_approval";
  return [
    ...(isOpen ? [`${_id} is ${state} without end`] : []),
    ...(made.length === (state === "executed" ? 1 : 0) ? [] : [`${_id} is ${state}, wrongly`]),
    ...dear.map(() => `${_id} was paid above its maximum`),
  ];
}

/** Requires that a payout names its order. */
function wrongOrigin({ _id }: Document, created: readonly Document[], field: string): string[] {
  const wrong = created.filter((payout) => payout[field] !== _id);
  return wrong.map((payout) => `${payout._id} does not say that it is of ${_id}`);
}

/**
 * Requires one scheduled payout per operation, and no payment after the merchant was told that it
 * is cancelled.
 */
function wrongSchedules({ databases }: Platform, { scheduled }: Workload): string[] {
  const orders = new Map(
    databases.payout.documents("scheduled_payouts").map((each) => [each._id, each]),
  );
  const payouts = new Map(payoutsIn(databases.payout).map((each) => [each._id, each]));
  return scheduled.all.flatMap(({ operationId, answers, isCancelled }) => {
    const ids = new Set(answers.filter((each) => each.startsWith("spo_")));
    const [id = ""] = ids;
    const order = orders.get(id);
    const payout = payouts.get(order?.payout_id);
    const stage = (payout?.progress as { stage: string } | undefined)?.stage;
    const isEnded = order?.state === "cancelled" || stage === "cancelled";
    return [
      ...(ids.size > 1 ? [`${operationId} made ${ids.size} scheduled payouts`] : []),
      ...(ids.size === 1 && order === undefined ? [`${id} was answered, and is not there`] : []),
      ...(isCancelled && !isEnded ? [`${id} was cancelled, and is ${order?.state} ${stage}`] : []),
    ];
  });
}

/**
 * Requires that a batch has ended. Its counts and total must match its lines, and each line must be
 * paid at most once.
 */
function wrongBatch(batch: Document, lines: readonly Document[], payouts: readonly Document[]) {
  const { _id, state, line_count, result, approval } = batch;
  const say = (isWrong: boolean, what: string) => (isWrong ? [`${_id} ${what}`] : []);
  const madeBy = Map.groupBy(payouts, ({ operation_id }) => lineOf(String(operation_id)));
  const countOf = (of: string) => lines.filter((line) => line.state === of).length;
  const counted = ["waiting", "executed", "failed", "cancelled"].map((each) => [
    each,
    countOf(each),
  ]);
  const { counts, total_minor } = (result ?? {}) as { counts?: object; total_minor?: unknown };
  const total = payouts.reduce((sum, each) => sum + BigInt(String(each.source_minor)), 0n);
  const { max_total_minor } = (approval ?? { max_total_minor: 0 }) as { max_total_minor: unknown };
  const isFinished = state === "finished";
  const same = JSON.stringify(counts) === JSON.stringify(Object.fromEntries(counted));
  return [
    ...say(lines.length !== line_count, `has ${lines.length} of ${line_count} lines`),
    ...say(!isFinished && state !== "cancelled", `is ${state} without end`),
    ...say(state === "cancelled" && payouts.length > 0, "is cancelled, and payouts were made"),
    ...say(isFinished && !same, `has counts that are not its lines': ${JSON.stringify(counts)}`),
    ...say(isFinished && BigInt(String(total_minor)) !== total, "has a total of other payouts"),
    ...say(total > BigInt(String(max_total_minor)), "cost more than was approved"),
    ...lines.flatMap((line) => wrongOrder(line, madeBy.get(String(line._id)) ?? [])),
  ];
}

/** Parses the operation `<batch>.<line>.<attempt>`. */
function lineOf(operationId: string): string {
  return operationId.slice(0, operationId.lastIndexOf("."));
}

/** Requires one batch per operation, and that the answers to decisions are true. */
function wrongAnswers(batches: readonly Document[], heard: HeardBatch): string[] {
  const { operationId, answers, approved, rejected, isCancelled } = heard;
  const ids = new Set(answers.filter((each) => each.startsWith("bat_")));
  const [id] = ids;
  const batch = batches.find(({ _id }) => _id === id);
  const operationOf = (decision: unknown) =>
    (decision as { operation_id: string } | undefined)?.operation_id ?? "";
  const say = (isWrong: boolean, what: string) => (isWrong ? [`${id} ${what}`] : []);
  const stored = [operationOf(batch?.approval), operationOf(batch?.rejection)];
  return [
    ...say(ids.size > 1, `is one of ${ids.size} batches of ${operationId}`),
    ...say(ids.size === 1 && batch === undefined, "was answered, and is not there"),
    ...say(approved.length + rejected.length > 1, "was decided on twice"),
    ...say(
      approved.some((each) => each !== stored[0]),
      "was answered to be approved, and is not",
    ),
    ...say(
      rejected.some((each) => each !== stored[1]),
      "was answered to be rejected, and is not",
    ),
    ...say(isCancelled && batch?.cancelled_at === undefined, "was cancelled, and is not"),
  ];
}
