import { createHash } from "node:crypto";
import type { ServiceImpl } from "@connectrpc/connect";
import { currentOrigin } from "@disburse/chassis/call-context.ts";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { insertOrFind } from "@disburse/chassis/mongo/once.ts";
import {
  countedTotal,
  cutPage,
  findCountedPage,
  readLimit,
  readNumber,
  writeNumber,
} from "@disburse/chassis/paging/page.ts";
import { readCreator } from "@disburse/chassis/rpc/creator.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  ApproveBatchRequestSchema,
  type Batch,
  BatchLineState,
  BatchState,
  type CreateBatchRequest,
  RejectBatchRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import type { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { rejectBatch as rejectForm } from "@disburse/forms/bodies/approval.ts";
import { approveBatch as approveForm } from "@disburse/forms/bodies/transfer.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { hashedId } from "@disburse/kernel/id.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import {
  isRefused,
  isViolation,
  refused,
  refusedInState,
  type Violation,
} from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import { parseMoment } from "@disburse/kernel/time.ts";
import { type PreviewDeps, previewRpc } from "../execution/preview.ts";
import { waitingUntil } from "../execution/rules/waiting-limits.ts";
import { orderDocument } from "../orders/document.ts";
import type { OrderTerms } from "../orders/rules/order.ts";
import type { Payouts } from "../payouts/document.ts";
import { checkedCorrection, claimFailed, lineIdOf } from "./corrections.ts";
import { approveBatch, type DecideDeps, rejectBatch } from "./decide.ts";
import { type BatchDocument, storedTotal } from "./document.ts";
import { batchEvent } from "./events.ts";
import { checkedLines, type LineDeps, refusalOf } from "./lines.ts";
import { batchDigest, totalsOf } from "./rules/batch.ts";
import { cancelBatch, insertLines } from "./store.ts";
import { type ValidateDeps, validateRpc } from "./validate.ts";
import { batchMessage, lineMessages } from "./wire.ts";

export type BatchRpcDeps = LineDeps &
  DecideDeps &
  ValidateDeps &
  PreviewDeps & { readonly payouts: Payouts };

/** The maximum number of lines in a page. */
const linePageMax = 500;
const nameMax = 255;

/** The name of the list in its cursors. */
const lineList = "batch_lines";

export function batchesRpc(deps: BatchRpcDeps) {
  const { batches, lines } = deps;
  const shown: ShowBatch = async (batch) => ({ batch: await batchMessage(lines, batch) });
  const find: FindBatch = async (merchantId, batchId) => {
    const found = await batches.findOne({ _id: batchId, merchant_id: merchantId });
    return orThrow(found ?? refused("RECORD_NOT_FOUND"));
  };
  return {
    createBatch: async (request) => shown(await createBatch(deps, request)),

    cancelBatch: async ({ mutation, merchantId, batchId }) => {
      readMutation(mutation);
      await find(merchantId, batchId);
      await cancelBatch(batches, lines, batchId);
      const batch = await find(merchantId, batchId);
      if (batch.cancelled_at === undefined) {
        const needed = "awaiting_approval or running";
        orThrow(refusedInState("NOT_CANCELLABLE", "batch", batch.state, needed));
      }
      deps.wakeRunner();
      return shown(batch);
    },

    getBatch: async ({ merchantId, batchId }) => shown(await find(merchantId, batchId)),

    ...validateRpc(deps, (batch, operationId) =>
      inspectedBatch(deps, batch, batchIdOf(batch.merchantId, operationId)),
    ),
    ...previewRpc(deps),
    ...decideRpc(deps, find, shown),
    ...listRpc(deps, find),
  } satisfies Partial<ServiceImpl<typeof PayoutOrderService>>;
}

function decideRpc(deps: BatchRpcDeps, find: FindBatch, shown: ShowBatch) {
  const contextOf = ({ unreadable }: Pick<CreateBatchRequest, "unreadable">) => ({
    now: deps.clock.now(),
    unreadable,
  });
  return {
    approveBatch: async (message) => {
      const by = readMutation(message.mutation);
      const schema = ApproveBatchRequestSchema;
      const sent = orThrow(checkedMessage(approveForm, schema, message, contextOf(message)));
      const batch = await find(message.merchantId, message.batchId);
      const maxTotal = parseAmount(sent.maxTotalAmount, batch.currency);
      if (isRefused(maxTotal)) {
        return orThrow(refused("INVALID_REQUEST", `max_total_amount: ${maxTotal.detail}`));
      }
      const approval = { maxTotal, digest: sent.digest };
      return shown(orThrow(await approveBatch(deps, batch, approval, by)));
    },

    rejectBatch: async (message) => {
      const by = readMutation(message.mutation);
      const schema = RejectBatchRequestSchema;
      const sent = orThrow(checkedMessage(rejectForm, schema, message, contextOf(message)));
      const batch = await find(message.merchantId, message.batchId);
      return shown(orThrow(await rejectBatch(deps, batch, sent.reason, by)));
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOrderService>>;
}

type ShowBatch = (batch: BatchDocument) => Promise<{ batch: Batch }>;
type FindBatch = (merchantId: string, batchId: string) => Promise<BatchDocument>;

function listRpc({ batches, lines, payouts }: BatchRpcDeps, find: FindBatch) {
  return {
    listBatches: async ({ merchantId, state: wanted, referenceId, ...page }) => {
      if (merchantId === "") orThrow(refused("INVALID_REQUEST", "merchant_id: is required"));
      const state = enumName(BatchState, wanted);
      const own = {
        merchant_id: merchantId,
        ...(state && { state }),
        ...(referenceId !== "" && { reference_id: referenceId }),
      };
      const { shown: found, ...rest } = await findCountedPage(batches, own, page);
      return {
        batches: await Promise.all(found.map((each) => batchMessage(lines, each))),
        ...rest,
      };
    },

    listBatchLines: async ({ merchantId, batchId, limit: approval, cursor, state: wanted }) => {
      const limit = orThrow(readLimit(approval, linePageMax));
      const last = orThrow(readNumber(lineList, cursor)) ?? 0;
      const batch = await find(merchantId, batchId);
      const state = enumName(BatchLineState, wanted);
      const own = { batch_id: batchId, ...(state && { state }) };
      const [found, count] = await Promise.all([
        lines
          .find({ ...own, line: { $gt: last } })
          .sort({ line: 1 })
          .limit(limit + 1)
          .toArray(),
        lines.countDocuments(own),
      ]);
      const page = cutPage(found, limit, ({ line = 0 }) => writeNumber(lineList, line));
      const messages = await lineMessages(payouts, page.shown, batch);
      return { lines: messages, nextCursor: page.nextCursor, ...countedTotal(count) };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOrderService>>;
}

/**
 * Derives the batch id from the operation. A repeat after a crash thus stores the same lines. The
 * id doesn't sort by time.
 */
function batchIdOf(merchantId: string, operationId: string): string {
  const name = `${merchantId} ${operationId}`;
  return hashedId("batch", createHash("sha256").update(name).digest());
}

/** Stores the lines of a batch before the batch, so that a stored batch has all its lines. */
async function createBatch(
  deps: BatchRpcDeps,
  request: CreateBatchRequest,
): Promise<BatchDocument> {
  const { operationId } = readMutation(request.mutation);
  const actor = readCreator(request.mutation);
  const { merchantId } = request;
  const _id = batchIdOf(merchantId, operationId);
  const before = await deps.batches.findOne({ _id });
  if (before !== null) return before;
  const { terms, claims, queue, ...named } = orThrow(await checkedBatch(deps, request, _id));
  const createdAt = deps.clock.now();
  const origin = currentOrigin();
  const documents = terms.map((each, at) => {
    const id = lineIdOf(_id, at + 1);
    const { firstId: corrects } = claims[at] ?? {};
    const place = { batchId: _id, line: at + 1, ...(corrects !== undefined && { corrects }) };
    return orderDocument(each, {
      id,
      merchantId,
      operationId: id,
      actor,
      origin,
      place,
      createdAt,
    });
  });
  await insertLines(deps.lines, documents);
  orThrow(await claimFailed(deps, claims));
  const byAnother = deps.controls.of(merchantId)?.approval?.isOfBatches === true;
  const batch: BatchDocument = {
    _id,
    schema_version: 1,
    merchant_id: merchantId,
    ...named,
    ...approvedFields(_id, merchantId, terms),
    operation_id: operationId,
    actor,
    ...origin,
    state: "awaiting_approval",
    ...(byAnother && { by_another: true }),
    ...(queue && { queue }),
    pending_events: byAnother ? [batchEvent(_id, "approval_required")] : [],
    created_at: createdAt,
    updated_at: createdAt,
  };
  return insertOrFind(deps.batches, batch, { _id });
}

/** Returns the checked content of a batch, or all problems of the request. */
async function checkedBatch(deps: BatchRpcDeps, request: CreateBatchRequest, batchId: string) {
  const { claims, named, queue, ...checked } = await inspectedBatch(deps, request, batchId);
  const refusal = refusalOf(checked, request.rows);
  if (refusal !== undefined) return refusal;
  const terms = checked.lines.flatMap((line) => line.terms ?? []);
  return { ...named, terms, claims, queue };
}

/** Finds all problems of a batch, and the names that it gets. */
async function inspectedBatch(deps: BatchRpcDeps, request: CreateBatchRequest, batchId: string) {
  const { merchantId } = request;
  const corrects = cleanText(request.correctsBatchId);
  const named = {
    reference_id: cleanText(request.referenceId),
    ...(request.fileName !== "" && { file_name: cleanText(request.fileName) }),
    ...(corrects !== "" && { corrects }),
  };
  const read = await checkedLines(deps, merchantId, request);
  const asked = { merchantId, corrects, batchId };
  const { checked, claims } =
    corrects === "" ? { checked: read, claims: [] } : await checkedCorrection(deps, asked, read);
  const { reference_id, file_name = "" } = named;
  const ofNames = Object.entries({ reference_id, file_name }).flatMap(([field, text]) => {
    const problem = nameProblem(text);
    return problem === undefined ? [] : [{ field, problem }];
  });
  const waits = queueOf(request, deps.clock.now());
  const ofWait = isViolation(waits) ? [waits] : [];
  return {
    lines: checked.lines,
    ofBody: [...ofNames, ...ofWait, ...checked.ofBody],
    claims,
    named,
    queue: isViolation(waits) ? undefined : waits,
  };
}

/** Reads whether lines wait for balance, and until when. */
function queueOf(
  { queueIfLowBalance, expiresAt }: CreateBatchRequest,
  now: Date,
): BatchDocument["queue"] | Violation {
  const field = "expires_at";
  if (!queueIfLowBalance && expiresAt !== "") {
    return { field, problem: "is only allowed with queue_if_low_balance" };
  }
  if (expiresAt !== "" && parseMoment(expiresAt) === undefined) {
    return { field, problem: "must be an ISO 8601 time" };
  }
  const expires_at = waitingUntil(expiresAt, now);
  if (isViolation(expires_at)) return expires_at;
  return queueIfLowBalance ? { ...(expires_at && { expires_at }) } : undefined;
}

/** Returns the fields that an approval covers: the account, the fixed totals and their digest. */
function approvedFields(id: string, merchantId: string, terms: readonly OrderTerms[]) {
  const [first] = terms;
  if (first === undefined) throw new Error("a batch has no line");
  const { accountId, source: currency } = first;
  const digest = batchDigest({ id, merchantId, accountId, currency, lines: terms.length });
  for (const each of terms) digest.add(each);
  const { source, receiving } = totalsOf(terms);
  return {
    account_id: accountId,
    currency,
    line_count: terms.length,
    digest: digest.hex(),
    ...(source && { source_total: storedTotal(source) }),
    receiving_totals: receiving.map(storedTotal),
  };
}

function nameProblem(text: string): string | undefined {
  const isLong = Array.from(text).length > nameMax;
  return isLong ? `must be at most ${nameMax} characters` : textProblem(text);
}
