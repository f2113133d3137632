import type { Client, ServiceImpl } from "@connectrpc/connect";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type BeneficiarySandboxService,
  SetBeneficiaryListingRequestSchema,
  SetDepositorListingRequestSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_sandbox_pb.ts";
import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import type { ComplianceSandboxService } from "@disburse/contracts/disburse/compliance/v1/compliance_sandbox_pb.ts";
import { setListing } from "@disburse/forms/bodies/sandbox.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { beneficiaryMessage } from "../beneficiaries/rpc.ts";
import type { BeneficiaryStore } from "../beneficiaries/store.ts";
import { depositorMessage } from "../depositors/depositors.ts";
import type { ScreeningScope } from "../records/rules/screening.ts";
import type { Opened, RecordStore } from "../records/store.ts";
import { readScreening, type ScreeningDeps, screenRecord } from "../screening/compliance.ts";

export type SandboxDeps = ScreeningDeps & {
  readonly beneficiaries: BeneficiaryStore;
  readonly depositors: RecordStore;
  readonly complianceSandbox: Pick<Client<typeof ComplianceSandboxService>, "setSubjectListing">;
};

/** Lets a sandbox merchant force its records' screening results. */
export function sandboxRecordsRpc(deps: SandboxDeps) {
  const { beneficiaries, depositors, clock } = deps;
  return {
    setBeneficiaryListing: async (message) => {
      const { operationId } = readMutation(message.mutation);
      const context = { now: clock.now(), unreadable: message.unreadable };
      const schema = SetBeneficiaryListingRequestSchema;
      const listing = orThrow(checkedMessage(setListing, schema, message, context));
      const { merchantId, beneficiaryId: id } = listing;
      await listRecord(deps, beneficiaries, { merchantId, id, operationId }, listing.result);
      const listed = await beneficiaries.read(merchantId, id);
      return { beneficiary: beneficiaryMessage(orThrow(listed ?? notFound)) };
    },

    setDepositorListing: async (message) => {
      const { operationId } = readMutation(message.mutation);
      const context = { now: clock.now(), unreadable: message.unreadable };
      const schema = SetDepositorListingRequestSchema;
      const listing = orThrow(checkedMessage(setListing, schema, message, context));
      const { merchantId, depositorId: id } = listing;
      await listRecord(deps, depositors, { merchantId, id, operationId }, listing.result);
      const listed = await depositors.read(merchantId, id);
      return { depositor: depositorMessage(orThrow(listed ?? notFound)) };
    },
  } satisfies ServiceImpl<typeof BeneficiarySandboxService>;
}

const notFound = refused("RECORD_NOT_FOUND");

const verdicts: Readonly<Record<string, "clear" | "review" | "block">> = {
  cleared: "clear",
  review: "review",
  blocked: "block",
};

type Listing = { readonly merchantId: string; readonly id: string; readonly operationId: string };

/** Lists a record at compliance, then stores the resulting screening. */
async function listRecord(
  deps: SandboxDeps,
  store: RecordStore,
  { merchantId, id, operationId }: Listing,
  result: string,
): Promise<void> {
  const opened = orThrow((await store.open(merchantId, id)) ?? notFound);
  await screenPending(deps, store, opened);
  const { screening } = await deps.complianceSandbox.setSubjectListing({
    mutation: { operationId: `${operationId}:listing` },
    subject: { merchantId, recordId: id },
    verdict: enumValue(Verdict, verdicts[result] ?? "clear"),
  });
  await store.writeScreening(merchantId, id, readScreening(screening), deps.clock.now());
}

/** Screens a pending record first, because compliance must know it. */
async function screenPending(
  { compliance, clock }: SandboxDeps,
  store: RecordStore,
  opened: Opened<Parameters<typeof depositorMessage>[0]>,
): Promise<void> {
  const { id, merchantId, screening } = opened.record;
  if (screening.status !== "pending") return;
  const result = await screenRecord(compliance, { ...opened, attempt: screening.attempts });
  await store.writeScreening(merchantId, id, result, clock.now());
}

/** Name of a sandbox record that stays pending until its merchant sets a result. */
const pendingName = /^sandbox pending\b/i;

export function holdsBack({ parties }: ScreeningScope): boolean {
  return parties.some(({ name }) => pendingName.test(name));
}
