import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { enumName, enumValue } from "@disburse/chassis/enum-names.ts";
import { bindOperations, type OperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import {
  type ComplianceService,
  GetMonitoringResponseSchema,
  Verdict,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { ComplianceSandboxService } from "@disburse/contracts/disburse/compliance/v1/compliance_sandbox_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../refusals.ts";
import { screeningMessage } from "../screening/wire.ts";
import type { monitoringProgress, startMonitoring } from "./loop.ts";

type SandboxDeps = Pick<ReturnType<typeof startMonitoring>, "setListing"> & {
  readonly operations: OperationBindings;
};

type MonitoringRpcDeps = Pick<ReturnType<typeof startMonitoring>, "rescreened" | "makeOverdue"> & {
  readonly progress: () => ReturnType<typeof monitoringProgress>;
};

export function monitoringRpc({ progress, rescreened, makeOverdue }: MonitoringRpcDeps) {
  return {
    rescreenSubjects: async ({ mutation, merchantId, recordId }) => {
      readMutation(mutation);
      if (merchantId === "") orThrow(refused("INVALID_REQUEST", "merchant_id: is required"));
      if (recordId === "") {
        const overdue = orThrow((await makeOverdue(merchantId)) ?? refused("RECORD_NOT_FOUND"));
        return { subjects: BigInt(overdue) };
      }
      const found = await rescreened({ merchantId, recordId });
      const { screening } = orThrow(found ?? refused("RECORD_NOT_FOUND"));
      return { screening: screeningMessage(screening) };
    },

    getMonitoring: async () => {
      const { verdicts, behind, behindSince, eventsPending } = await progress();
      return create(GetMonitoringResponseSchema, {
        verdicts: verdicts.map(([verdict, count]) => ({
          verdict: enumValue(Verdict, verdict),
          subjects: BigInt(count),
        })),
        behind: BigInt(behind),
        ...(behindSince && { behindSince: timestampFromDate(behindSince) }),
        eventsPending: BigInt(eventsPending),
      });
    },
  } satisfies Partial<ServiceImpl<typeof ComplianceService>>;
}

/** RPCs by which sandbox merchants set the result of a screening. */
export function sandboxScreeningRpc({ setListing, operations }: SandboxDeps) {
  const rpc = {
    setSubjectListing: async ({ mutation, subject, verdict: requested }) => {
      readMutation(mutation);
      const required = refused("INVALID_REQUEST", "verdict: is required");
      const verdict = orThrow(enumName(Verdict, requested) ?? required);
      const { merchantId = "", recordId = "" } = subject ?? {};
      const screening = await setListing({ merchantId, recordId }, verdict);
      const stored = orThrow(screening ?? refused("RECORD_NOT_FOUND"));
      return { screening: screeningMessage(stored.screening) };
    },
  } satisfies ServiceImpl<typeof ComplianceSandboxService>;
  return bindOperations(ComplianceSandboxService, rpc, operations);
}
