import { create } from "@bufbuild/protobuf";
import {
  type FileDocument,
  type FindingDocument,
  openBankStore,
} from "@disburse/bank-rail/documents.ts";
import { guardedBankFiles } from "@disburse/bank-rail/rpc.ts";
import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import { type CallContext, withCallContext } from "@disburse/chassis/call-context.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  BankFileDecision,
  BankFindingResolution,
  HandleBankFindingRequestSchema,
  ResolveBankFileRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/bank_files_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import type { MemoryDatabase } from "../store/memory-database.ts";
import { seals } from "./bank-process.ts";
import type { SimulatedBank } from "./simulated-bank.ts";

const calling: CallContext = {
  requestId: "an operator",
  principal: { kind: "person", id: "ann", roles: new Set() },
};
/** Time before the operator asks the bank. Longer than any delivery to the bank. */
const askMinMs = 20_000;
const pollMs = 10_000;

/**
 * Starts an operator who asks the bank whether it has files with an unknown outcome, and records
 * the answer.
 */
export function startBankOperator(of: {
  readonly scheduler: Scheduler;
  readonly database: MemoryDatabase;
  readonly bank: SimulatedBank;
}): void {
  const { scheduler, database, bank } = of;
  const connected = database.connect(database.direct);
  const rpc = guardedBankFiles({
    bank: openBankStore(connected),
    sealer: seals,
    audit: openAuditStore<string>(connected),
    clock: { now: () => scheduler.now() },
  });
  const decide = async ({ _id, name }: FileDocument) => {
    const isThere = bank.sent.some((each) => each.name === name);
    try {
      await withCallContext(calling, () => rpc.resolveBankFile(request(_id, isThere)));
      scheduler.faults.count("bank: decided by operators");
    } catch (error) {
      // The bank's answer to the file was applied meanwhile.
      if (readRefusal(error)?.code !== "INVALID_REQUEST") throw error;
    }
  };
  // The operator learns from the bank whether the unread file is about our payments.
  const handle = async ({ _id, received = "" }: FindingDocument) => {
    const isAboutOurs = bank.aboutOurs.has(received.split(" ")[1] ?? "");
    await withCallContext(calling, () => rpc.handleBankFinding(handling(_id, isAboutOurs)));
    scheduler.faults.count("bank: findings handled by operators");
  };
  const poll = () => {
    const files = database.documents("bank_files") as unknown as readonly FileDocument[];
    const nowMs = scheduler.nowMs();
    const due = files.filter(
      ({ state, updated_at }) => state === "undecided" && nowMs - Number(updated_at) >= askMinMs,
    );
    for (const file of due) void decide(file);
    const findings = database.documents("bank_findings") as unknown as readonly FindingDocument[];
    const unread = findings.filter(({ open, holds, created_at }) => {
      return open === true && holds === true && nowMs - Number(created_at) >= askMinMs;
    });
    for (const finding of unread) void handle(finding);
    scheduler.after(pollMs, { label: "an operator polls", run: poll });
  };
  poll();
}

function handling(findingId: string, isAboutOurs: boolean) {
  return create(HandleBankFindingRequestSchema, {
    mutation: { operationId: `op-${findingId}`, actor: { kind: Actor_Kind.OPERATOR, id: "ann" } },
    findingId,
    note: "the bank said so by telephone",
    resolution: isAboutOurs
      ? BankFindingResolution.READ_AGAIN
      : BankFindingResolution.NOTHING_OF_OURS,
  });
}

function request(fileId: string, isThere: boolean) {
  const decision = isThere ? BankFileDecision.RECEIVED : BankFileDecision.SEND_AGAIN;
  const mutation = { operationId: `op-${fileId}`, actor: { kind: Actor_Kind.OPERATOR, id: "ann" } };
  const reason = "the bank said so by telephone";
  return create(ResolveBankFileRequestSchema, { mutation, fileId, decision, reason });
}
