import { setTimeout as pause } from "node:timers/promises";
import type { DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import {
  Health,
  HealthCheckResponse_ServingStatus,
} from "@disburse/contracts/health/v1/health_pb.ts";

/** A watcher learns of a change within this. */
const watchEveryMs = 1_000;

/** Serves grpc.health.v1 for the server ("") and for each of its services by name. */
export function registerHealth(
  router: ConnectRouter,
  services: readonly DescService[],
  ready: () => Promise<boolean>,
): void {
  const names = new Set(["", ...services.map((service) => service.typeName)]);
  const status = async (name: string) => {
    if (!names.has(name)) return HealthCheckResponse_ServingStatus.SERVICE_UNKNOWN;
    return (await ready().catch(() => false))
      ? HealthCheckResponse_ServingStatus.SERVING
      : HealthCheckResponse_ServingStatus.NOT_SERVING;
  };
  router.service(Health, {
    check: async ({ service }) => {
      if (!names.has(service)) throw new ConnectError("unknown service", Code.NotFound);
      return { status: await status(service) };
    },
    list: async () => {
      const entries = [...names].map(async (name) => [name, { status: await status(name) }]);
      return { statuses: Object.fromEntries(await Promise.all(entries)) };
    },
    watch: async function* ({ service }, context) {
      let last: HealthCheckResponse_ServingStatus | undefined;
      while (!context.signal.aborted) {
        const current = await status(service);
        if (current !== last) yield { status: current };
        last = current;
        await pause(watchEveryMs, undefined, context).catch(() => undefined);
      }
    },
  });
}
