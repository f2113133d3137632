import { setTimeout as pause } from "node:timers/promises";
import { createRegistry, type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import {
  ServerReflection,
  type ServerReflectionRequest,
} from "@disburse/contracts/grpc/reflection/v1/reflection_pb.ts";
import {
  Health,
  HealthCheckResponse_ServingStatus,
} from "@disburse/contracts/health/v1/health_pb.ts";
import { releaseVersion } from "../release.ts";

/** Services that every server has in addition to its own. */
export const standardServices: readonly DescService[] = [Health, ServerReflection];

/** A watcher is notified of a change within this time. */
const watchEveryMs = 1_000;

/**
 * Serves grpc.health.v1 for the server ("") and for each of its services by name. The response has
 * the release in its header `disburse-version`, which `disburse status` shows.
 */
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
    check: async ({ service }, { responseHeader }) => {
      responseHeader.set("disburse-version", releaseVersion);
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

/** Serves grpc.reflection.v1, so that grpcurl and `buf curl` need no schema. */
export function registerReflection(router: ConnectRouter, services: readonly DescService[]): void {
  const all = [...services, ...standardServices];
  const files = new Map<string, DescFile>();
  for (const service of all) collect(service.file, files);
  const registry = createRegistry(...files.values());
  const answer = ({ messageRequest: { case: kind, value } }: ServerReflectionRequest) => {
    switch (kind) {
      case "listServices":
        return {
          case: "listServicesResponse" as const,
          value: { service: all.map((service) => ({ name: service.typeName })) },
        };
      case "fileByFilename":
        return described(files.get(value));
      case "fileContainingSymbol":
        return described((registry.get(value) ?? registry.get(parentOf(value)))?.file);
      default:
        return failed(Code.Unimplemented, "extensions are not used");
    }
  };
  router.service(ServerReflection, {
    serverReflectionInfo: async function* (requests) {
      for await (const request of requests) {
        yield {
          validHost: request.host,
          originalRequest: request,
          messageResponse: answer(request),
        };
      }
    },
  });
}

function collect(file: DescFile, into: Map<string, DescFile>): void {
  if (into.has(file.proto.name)) return;
  into.set(file.proto.name, file);
  for (const dependency of file.dependencies) collect(dependency, into);
}

const parentOf = (symbol: string) => symbol.slice(0, symbol.lastIndexOf("."));

/** Returns the file with all its imports, as clients expect them in one response. */
function described(file: DescFile | undefined) {
  if (file === undefined) return failed(Code.NotFound, "no such file or symbol");
  const whole = new Map<string, DescFile>();
  collect(file, whole);
  const fileDescriptorProto = [...whole.values()].map((each) =>
    toBinary(FileDescriptorProtoSchema, each.proto),
  );
  return { case: "fileDescriptorResponse" as const, value: { fileDescriptorProto } };
}

function failed(errorCode: Code, errorMessage: string) {
  return { case: "errorResponse" as const, value: { errorCode, errorMessage } };
}
