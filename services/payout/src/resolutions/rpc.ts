import type { ServiceImpl } from "@connectrpc/connect";
import { readLimit, readStart, writeCursor } from "@disburse/chassis/paging/cursor.ts";
import { cutPageBy } from "@disburse/chassis/paging/record-page.ts";
import type { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import { readOperator } from "../payouts/operator.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { payoutMessage, readOutcome } from "../payouts/wire.ts";
import { orThrow } from "../refusals.ts";
import {
  confirmResolution,
  proposeResolution,
  type ResolutionDeps,
  withdrawResolution,
} from "./resolve.ts";
import {
  auditMessage,
  exceptionKindOf,
  historyMessage,
  inDoubtMessage,
  resolutionMessage,
} from "./wire.ts";

type OperatorRpc = Pick<
  ServiceImpl<typeof PayoutOperationsService>,
  | "listPayoutsInDoubt"
  | "getPayoutJournal"
  | "proposeResolution"
  | "confirmResolution"
  | "withdrawResolution"
  | "listAuditEntries"
>;

/** A reason says what was learned and from where. */
const [reasonMin, reasonMax] = [10, 1_000];

/** The operators' RPCs of payouts in doubt, and of the trail of what operators did. */
export function operatorRpc(deps: ResolutionDeps): OperatorRpc {
  const { payouts, resolutions, audit } = deps;
  return {
    listPayoutsInDoubt: async ({ limit: asked, cursor, doubt }) => {
      const limit = orThrow(readLimit(asked));
      const after = orThrow(readStart(cursor));
      const found = await payouts.listExceptions(exceptionKindOf(doubt), {
        after,
        limit: limit + 1,
      });
      const { shown, nextCursor } = cutPageBy(found, limit, exceptionCursor);
      const open = await resolutions.openOf(shown.map(({ id }) => id));
      return {
        payouts: shown.map((payout) => inDoubtMessage(payout, open.get(payout.id) ?? "")),
        nextCursor,
      };
    },

    getPayoutJournal: async ({ payoutId }) => {
      const found = await payouts.journal(payoutId);
      const { payout, lines } = orThrow(found ?? refused("RECORD_NOT_FOUND"));
      return { payout: payoutMessage(payout), entries: lines.map(historyMessage) };
    },

    proposeResolution: async (message) => {
      const by = readOperator(message.mutation);
      const outcome = orThrow(readOutcome(message));
      const reason = readReason(message.reason);
      const { payoutId } = message;
      const proposed = await proposeResolution(deps, { payoutId, outcome, reason }, by);
      return { resolution: resolutionMessage(orThrow(proposed)) };
    },

    confirmResolution: async ({ mutation, resolutionId }) => {
      const confirmed = await confirmResolution(deps, resolutionId, readOperator(mutation));
      return { resolution: resolutionMessage(orThrow(confirmed)) };
    },

    withdrawResolution: async ({ mutation, resolutionId }) => {
      const withdrawn = await withdrawResolution(deps, resolutionId, readOperator(mutation));
      return { resolution: resolutionMessage(orThrow(withdrawn)) };
    },

    listAuditEntries: async ({ limit: asked, cursor, subject }) => {
      const limit = orThrow(readLimit(asked));
      if (!/^\d{0,15}$/.test(cursor)) {
        orThrow(refused("INVALID_REQUEST", "cursor: must be one that a list gave"));
      }
      const before = cursor === "" ? undefined : Number(cursor);
      const found = await audit.list(subject === "" ? undefined : subject, before, limit + 1);
      const { shown, nextCursor } = cutPageBy(found, limit, ({ sequence }) => String(sequence));
      return { entries: shown.map(auditMessage), nextCursor };
    },
  };
}

function exceptionCursor({ id, doubt, createdAt }: Payout): string {
  return writeCursor({ at: doubt?.since ?? createdAt, id });
}

function readReason(text: string): string {
  const reason = cleanText(text);
  const isSized = reason.length >= reasonMin && reason.length <= reasonMax;
  if (isSized && textProblem(reason) === undefined) return reason;
  const length = `${reasonMin} to ${reasonMax}`;
  return orThrow(refused("INVALID_REQUEST", `reason: must be ${length} plain characters`));
}
