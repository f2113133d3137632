import { createRegistry, type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import {
  ServerReflection,
  type ServerReflectionRequest,
} from "@disburse/contracts/grpc/reflection/v1/reflection_pb.ts";
import { Health } from "@disburse/contracts/health/v1/health_pb.ts";

/** Serves grpc.reflection.v1, so that grpcurl and `buf curl` need no schema. */
export function registerReflection(router: ConnectRouter, services: readonly DescService[]): void {
  const all = [...services, Health, ServerReflection];
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

/** The service of a method. */
const parentOf = (symbol: string) => symbol.slice(0, symbol.lastIndexOf("."));

/** The file with everything it imports, as clients expect it in one answer. */
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
