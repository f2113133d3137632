import {
  createServer as createHttp1Server,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createHttp2Server, type ServerHttp2Session } from "node:http2";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createRegistry, type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ConnectRouter, type Interceptor } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import {
  ServerReflection,
  type ServerReflectionRequest,
} from "@disburse/contracts/grpc/reflection/v1/reflection_pb.ts";
import {
  Health,
  HealthCheckResponse_ServingStatus,
} from "@disburse/contracts/health/v1/health_pb.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { isDatabaseUnavailable } from "../mongo/database.ts";
import { acceptIdentity, callerHeader, unauthenticatedServices } from "./identity.ts";
import { readRefusal } from "./refusal.ts";

/** Where and what an RPC server serves. */
export type RpcServerOptions = {
  readonly host: string;
  readonly port: number;
  readonly serviceToken: string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** The services that reflection lists; `routes` must serve all of them. */
  readonly services: readonly DescService[];
  readonly routes: (router: ConnectRouter) => void;
  /** Whether the service can work now: its database answers. */
  readonly ready: () => Promise<boolean>;
};

/** A running RPC server. */
export type RpcServer = Awaited<ReturnType<typeof startRpcServer>>;

/** Running calls get this long at shutdown (reliability: at most 20 s in flight). */
const drainMs = 20_000;
/** gRPC's usual bound; a body is read before the token is checked, and may be compressed. */
const messageBytesMax = 4 * 1024 * 1024;
/** A connection without a first byte in this time is closed. */
const firstByteMs = 10_000;
/** An HTTP/2 client's first bytes. */
const http2Preface = "PRI";

/**
 * Serves gRPC, gRPC-Web and Connect on one port: the first bytes of a connection distinguish HTTP/2
 * from HTTP/1.1. Beside the service's own routes: health, reflection and, over HTTP/1.1,
 * `/metrics`.
 */
export async function startRpcServer(options: RpcServerOptions) {
  const adapter = connectNodeAdapter({
    routes: (router) => {
      options.routes(router);
      registerHealth(router, options.services, options.ready);
      registerReflection(router, options.services);
    },
    readMaxBytes: messageBytesMax,
    interceptors: [acceptIdentity(options.serviceToken), observe(options.log, options.metrics)],
  });
  const http1 = createHttp1Server((request, response) => {
    if (request.url === "/metrics") void serveMetrics(options.metrics, response);
    else adapter(request, response);
  });
  // Given its connections, it listens nowhere: this starts its watch over idle and slow ones.
  http1.emit("listening");
  const http2 = createHttp2Server((request, response) => adapter(request, response));
  const sessions = new Set<ServerHttp2Session>();
  http2.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.on("error", () => session.destroy());
  });
  const sockets = new Set<Socket>();
  const silent = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    silent.add(socket);
    socket.once("close", () => [sockets, silent].map((set) => set.delete(socket)));
    socket.on("error", () => socket.destroy());
    const giveUp = () => socket.destroy();
    socket.setTimeout(firstByteMs, giveUp);
    socket.once("data", (first: Buffer) => {
      silent.delete(socket);
      socket.setTimeout(0, giveUp);
      socket.pause();
      socket.unshift(first);
      const isHttp2 = first.subarray(0, http2Preface.length).toString("latin1") === http2Preface;
      (isHttp2 ? http2 : http1).emit("connection", socket);
      if (!isHttp2) process.nextTick(() => socket.resume());
    });
  });
  const port = await listen(listener, options.port, options.host);
  return {
    url: `http://${options.host}:${port}`,
    /** Gives running calls at most 20 s; the port stays bound until `held` has settled. */
    stop: async (held: Promise<unknown> = Promise.resolve()): Promise<void> => {
      listener.maxConnections = 0;
      const closed = Promise.allSettled([held]).then(
        () => new Promise<void>((resolve) => listener.close(() => resolve())),
      );
      for (const session of sessions) session.close();
      for (const socket of silent) socket.destroy();
      http1.close();
      const late = setTimeout(() => sockets.forEach((socket) => void socket.destroy()), drainMs);
      const idle = setInterval(() => http1.closeIdleConnections(), 50);
      await closed;
      clearTimeout(late);
      clearInterval(idle);
    },
  };
}

function listen(listener: ReturnType<typeof createServer>, port: number, host: string) {
  return new Promise<number>((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(port, host, () => {
      listener.off("error", reject);
      resolve((listener.address() as AddressInfo).port);
    });
  });
}

async function serveMetrics(metrics: Metrics, response: ServerResponse<IncomingMessage>) {
  response.setHeader("content-type", metrics.contentType);
  response.end(await metrics.text());
}

/** Counts, times and logs every call; probes, which are frequent, at `debug`. */
function observe(log: Log, metrics: Metrics): Interceptor {
  return (next) => async (request) => {
    const started = performance.now();
    let code = "ok";
    let refusal: string | undefined;
    try {
      return await next(request);
    } catch (error) {
      const answered = rpcErrorOf(error, request.method.name, log);
      code = Code[answered.code].toLowerCase();
      refusal = readRefusal(answered)?.code;
      throw answered;
    } finally {
      const durationMs = performance.now() - started;
      metrics.rpcDuration.observe({ rpc: request.method.name, code }, durationMs / 1_000);
      const caller = request.header.get(callerHeader) ?? "";
      const level = unauthenticatedServices.has(request.service.typeName) ? "debug" : "info";
      const duration_ms = Math.round(durationMs);
      log[level]({ rpc: request.method.name, code, refusal, caller, duration_ms }, "rpc");
    }
  };
}

/** What a handler threw as an RPC error; the cause of `INTERNAL` is logged and not sent. */
export function rpcErrorOf(error: unknown, rpc: string, log: Log): ConnectError {
  if (error instanceof ConnectError) return error;
  if (isDatabaseUnavailable(error)) {
    // No bug: the caller may retry.
    log.warn({ reason: (error as Error).name }, "database does not answer");
    return new ConnectError("the database does not answer", Code.Unavailable);
  }
  log.error({ err: error, rpc }, "rpc failed");
  return new ConnectError("internal error", Code.Internal);
}

/** A watcher learns of a change within this. */
const watchEveryMs = 1_000;

/** Serves grpc.health.v1 for the server ("") and for each of its services by name. */
function registerHealth(
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

/** Serves grpc.reflection.v1, so that grpcurl and `buf curl` need no schema. */
function registerReflection(router: ConnectRouter, services: readonly DescService[]): void {
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
