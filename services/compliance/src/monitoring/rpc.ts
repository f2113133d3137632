import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { valueOfWord } from "@disburse/chassis/rpc/enum-words.ts";
import {
  type ComplianceService,
  GetMonitoringResponseSchema,
  Verdict,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import type { monitoringProgress } from "./loop.ts";

/** The RPC of how far monitoring is. */
export function monitoringRpc({
  progress,
}: {
  readonly progress: () => ReturnType<typeof monitoringProgress>;
}) {
  return {
    getMonitoring: async () => {
      const { verdicts, behind, behindSince, eventsPending } = await progress();
      return create(GetMonitoringResponseSchema, {
        verdicts: verdicts.map(([verdict, count]) => ({
          verdict: valueOfWord(Verdict, verdict),
          subjects: BigInt(count),
        })),
        behind: BigInt(behind),
        ...(behindSince && { behindSince: timestampFromDate(behindSince) }),
        eventsPending: BigInt(eventsPending),
      });
    },
  } satisfies Partial<ServiceImpl<typeof ComplianceService>>;
}
