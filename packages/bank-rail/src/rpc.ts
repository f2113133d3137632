import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { assertAsChecked } from "@disburse/chassis/approvals/checked.ts";
import type { Guards } from "@disburse/chassis/approvals/guard.ts";
import { enumName, enumValue } from "@disburse/chassis/enum-names.ts";
import { findPage } from "@disburse/chassis/paging/page.ts";
import { readOperator } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  BankFileDecision,
  BankFileSchema,
  BankFileState,
  type BankFinding,
  BankFindingKind,
  BankFindingResolution,
  BankFindingSchema,
} from "@disburse/contracts/disburse/payout/v1/bank_files_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { Actor_Kind, ActorSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { readReason } from "@disburse/kernel/reason.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { RailContext } from "@disburse/rail/rail-package.ts";
import type { FileDocument, FindingDocument } from "./documents.ts";
import { changeFile } from "./files.ts";
import { findingDetails } from "./incoming/findings.ts";
import { findingGuard, type HandlingDeps, handleFinding } from "./incoming/handling.ts";
import { isAnswered } from "./sending.ts";

type BankRpcDeps = HandlingDeps & Pick<RailContext, "approvals">;

/** Creates the RPCs for bank files. They require approvals if the service has approvals. */
export function guardedBankFiles(deps: BankRpcDeps) {
  const rpc = bankFilesRpc(deps);
  const { approvals } = deps;
  return approvals?.guard(PayoutOperatorService, rpc, bankFilesGuards(deps)) ?? rpc;
}

/** The operator RPCs of bank files. */
function bankFilesRpc(deps: BankRpcDeps) {
  const { bank, sealer, audit, clock } = deps;
  const { files, findings } = bank;
  return {
    listBankFiles: async ({ rail, state, ...page }) => {
      const name = enumName(BankFileState, state);
      const filter = { ...(rail !== "" && { rail }), ...(name !== undefined && { state: name }) };
      const { shown, nextCursor } = await findPage(files, filter, page);
      return { files: shown.map(fileMessage), nextCursor };
    },

    resolveBankFile: async ({ mutation, fileId, decision, reason }) => {
      const by = readOperator(mutation);
      const name = enumName(BankFileDecision, decision);
      if (name === undefined) return orThrow(refused("INVALID_REQUEST", "decision: is required"));
      const detail = `${name}; ${orThrow(readReason(reason))}`;
      const found = orThrow((await files.findOne({ _id: fileId })) ?? refused("RECORD_NOT_FOUND"));
      const { state, decided = [] } = found;
      // A repeated operation returns the first response.
      if (decided.includes(by.operation)) return { file: fileMessage(found) };
      assertAsChecked(describeFile(found));
      if (state !== "undecided") orThrow(notUndecided);
      if (name === "send_again" && (await isAnswered(bank, found))) orThrow(alreadyAnswered);
      const at = clock.now();
      await audit.append({ action: "bank_file.resolved", subject: fileId, detail, at, ...by });
      const changed = await changeFile(
        bank,
        found,
        {
          ...(name === "received"
            ? ({ state: "sent", sent_at: at, sent_by: "operator" } as const)
            : ({ state: "written" } as const)),
          decided: [...decided, by.operation],
        },
        at,
      );
      return { file: fileMessage(changed ?? (await files.findOne({ _id: fileId })) ?? found) };
    },

    listBankFindings: async ({ rail, handled, ...page }) => {
      const filter = { ...(rail !== "" && { rail }), ...(!handled && { open: true }) };
      const { shown, nextCursor } = await findPage(findings, filter, page);
      return { findings: shown.map(findingMessage), nextCursor };
    },

    getBankFinding: async ({ findingId }) => {
      const found = await findings.findOne({ _id: findingId });
      const finding = orThrow(found ?? refused("RECORD_NOT_FOUND"));
      const details = sealer === undefined ? "" : findingDetails(finding, sealer);
      return { finding: findingMessage(finding), details };
    },

    handleBankFinding: async (request) => {
      const handled = await handleFinding(deps, request);
      return { finding: findingMessage(handled) };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOperatorService>>;
}

const notUndecided = refused(
  "INVALID_REQUEST",
  "file_id: must be a file whose receipt by the bank is undecided",
);

const alreadyAnswered = refused(
  "INVALID_REQUEST",
  "decision: must be RECEIVED, because the bank has answered a payment of the file",
);

/** Sending a file again or declaring it unsent requires two operators. */
export function bankFilesGuards({
  bank,
}: Pick<BankRpcDeps, "bank">): Guards<
  Pick<ReturnType<typeof bankFilesRpc>, "resolveBankFile" | "handleBankFinding">
> {
  return {
    handleBankFinding: findingGuard(bank),
    resolveBankFile: {
      approvers: ["treasury_approver"],
      difference: async ({ fileId, decision }) => {
        const found = await bank.files.findOne({ _id: fileId });
        return {
          before: found ? describeFile(found) : "",
          after: JSON.stringify({ decision: enumName(BankFileDecision, decision) }),
        };
      },
      // Without a decision to make, no approval is needed, and the RPC refuses the request.
      reasons: async ({ fileId }) => {
        const found = await bank.files.findOne({ _id: fileId });
        return found?.state === "undecided"
          ? ["the request decides whether the bank received a file"]
          : [];
      },
    },
  };
}

/** Describes a file for an approver. */
function describeFile({ rail, state, name, sha256, members = [] }: FileDocument): string {
  return JSON.stringify({ rail, state, name, sha256, payments: members.length });
}

function fileMessage(file: FileDocument) {
  const { _id: id, rail, state, name = "", sha256 = "", members, asked, sent_at, sent_by } = file;
  return create(BankFileSchema, {
    id,
    rail,
    name,
    sha256,
    problems: file.problems ?? [],
    sentBy: sent_by ?? "",
    state: enumValue(BankFileState, state),
    payments: members?.length ?? asked.length,
    refused: file.left_out?.length ?? 0,
    closesAt: timestampFromDate(file.closes_at),
    createdAt: timestampFromDate(file.created_at),
    ...(sent_at && { sentAt: timestampFromDate(sent_at) }),
  });
}

function findingMessage(finding: FindingDocument): BankFinding {
  const { _id: id, rail, kind, what, file = "", place = "", amount = "", handled } = finding;
  return create(BankFindingSchema, {
    id,
    rail,
    what,
    file,
    place,
    amount,
    payoutId: finding.payout_id ?? "",
    kind: enumValue(BankFindingKind, kind),
    holds: finding.holds ?? false,
    createdAt: timestampFromDate(finding.created_at),
    ...(handled && {
      handledBy: create(ActorSchema, {
        kind: Actor_Kind.OPERATOR,
        id: handled.person,
      }),
      handledAt: timestampFromDate(handled.at),
      note: handled.note,
      resolution: enumValue(BankFindingResolution, handled.how),
    }),
  });
}
