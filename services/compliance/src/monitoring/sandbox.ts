import type { ServiceImpl } from "@connectrpc/connect";
import { bindOperations, type OperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import { wordOf } from "@disburse/chassis/rpc/enum-words.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { ComplianceSandboxService } from "@disburse/contracts/disburse/compliance/v1/compliance_sandbox_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../refusals.ts";
import { screeningMessage } from "../screening/wire.ts";
import type { startMonitoring } from "./loop.ts";

type SandboxDeps = Pick<ReturnType<typeof startMonitoring>, "setListing"> & {
  readonly operations: OperationBindings;
};

/** The RPCs by which merchants of a sandbox bring their screenings to their results. */
export function sandboxScreeningRpc({ setListing, operations }: SandboxDeps) {
  const rpc = {
    setSubjectListing: async ({ mutation, subject, verdict: asked }) => {
      readMutation(mutation);
      const required = refused("INVALID_REQUEST", "verdict: is required");
      const verdict = orThrow(wordOf(Verdict, asked) ?? required);
      const { merchantId = "", recordId = "" } = subject ?? {};
      const screening = await setListing({ merchantId, recordId }, verdict);
      const stored = orThrow(screening ?? refused("RECORD_NOT_FOUND"));
      return { screening: screeningMessage(stored.screening) };
    },
  } satisfies ServiceImpl<typeof ComplianceSandboxService>;
  return bindOperations(ComplianceSandboxService, rpc, operations);
}
