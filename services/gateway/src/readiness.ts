import type { ServiceClient } from "@disburse/chassis/rpc/client.ts";
import {
  type Health,
  HealthCheckResponse_ServingStatus,
} from "@disburse/contracts/health/v1/health_pb.ts";

/** Probes come without a key; however many, each dependency is asked once in this time. */
const freshMs = 1_000;
/** A dependency that needs longer to say that it is well is not. */
const timeoutMs = 1_000;

type Check = () => Promise<boolean>;

/** Whether a service says that it can do its work now. */
export function serving({ rpc }: Pick<ServiceClient<typeof Health>, "rpc">): Check {
  return async () => {
    try {
      const { status } = await rpc.check({ service: "" }, { timeoutMs });
      return status === HealthCheckResponse_ServingStatus.SERVING;
    } catch {
      // Any failure to answer means the same: not reachable now.
      return false;
    }
  };
}

/** Asks everything that the gateway cannot work without, and remembers the answers for a second. */
export function createReadiness(
  checks: Readonly<Record<string, Check>>,
): () => Promise<Readonly<Record<string, boolean>>> {
  let last:
    | { readonly askedMs: number; readonly answers: Promise<Record<string, boolean>> }
    | undefined;
  return () => {
    const nowMs = performance.now();
    if (last === undefined || nowMs - last.askedMs >= freshMs) {
      const asked = Object.entries(checks).map(
        async ([name, check]) => [name, await check()] as const,
      );
      last = { askedMs: nowMs, answers: Promise.all(asked).then(Object.fromEntries) };
    }
    return last.answers;
  };
}
