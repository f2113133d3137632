import {
  create,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  type Client,
  Code,
  ConnectError,
  createClient,
  type ServiceImpl,
  type Transport,
  type UnaryResponse,
} from "@connectrpc/connect";
import { callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { Principal } from "@disburse/chassis/principal.ts";
import { rpcErrorOf, withProvenAbsence } from "@disburse/chassis/rpc/admission.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import type { ProcessInstance } from "../scheduler/host.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";

const hopMs = 4;
/** Duration of a slow call. Longer than any caller waits. */
const slowMs = 12_000;
const timeoutMs = 5_000;
const reserveMs = 50;
/** Timeout of a merchant's request at the gateway. */
const edgeTimeoutMs = 10_000;

type Handler = (request: unknown) => Promise<unknown>;

/** A process, or a caller outside of the simulation. The latter never ends. */
type Host = {
  readonly instance: ProcessInstance | undefined;
  readonly log: Log;
  /** Undefined for a stub without a database. */
  readonly database?: Pick<Database, "watchPrimary"> | undefined;
};
type Server = Host & { readonly handlers: Readonly<Record<string, Handler>> };

type Call = {
  readonly method: DescMethodUnary;
  readonly request: Uint8Array;
  readonly caller: ProcessInstance | undefined;
  readonly principal: Principal;
  readonly requestId: string;
  readonly waitMs: number;
};

/** Servers by service. Any instance of a service may handle a call. */
export type RpcNetwork = ReturnType<typeof createRpcNetwork>;

/**
 * Simulates the network between services. Messages are serialized, and errors are encoded as on the
 * wire.
 */
export function createRpcNetwork(scheduler: Scheduler) {
  const servers = new Map<string, Server[]>();
  let calls = 0;
  return {
    serve: <S extends DescService>(
      service: S,
      implementation: Partial<ServiceImpl<S>>,
      { instance, log, database }: Host,
    ): void => {
      const all = servers.get(service.typeName) ?? [];
      const handlers = implementation as unknown as Server["handlers"];
      const others = all.filter((each) => each.instance?.name !== instance?.name);
      servers.set(service.typeName, [...others, { instance, log, database, handlers }]);
    },
    /** Returns a client of a process or of an external caller with this identity. */
    client: <S extends DescService>(service: S, by: ProcessInstance | Principal): Client<S> => {
      const caller = "kind" in by ? undefined : by;
      const principal = "kind" in by ? by : serviceOf(by);
      const unary = async <I extends Desc, O extends Desc>(
        method: DescMethodUnary<I, O>,
        _signal: AbortSignal | undefined,
        _timeoutMs: number | undefined,
        _header: unknown,
        input: MessageInitShape<I>,
      ): Promise<UnaryResponse<I, O>> => {
        calls += 1;
        const requestId = callContext()?.requestId ?? `call-${calls}`;
        const request = toBinary(method.input, create(method.input, input));
        const waitMs = waitOf(caller);
        const call: Call = { method, request, caller, principal, requestId, waitMs };
        const bytes = await send(scheduler, servers.get(service.typeName) ?? [], call);
        const message = fromBinary(method.output, bytes) as MessageShape<O>;
        const parts = { header: new Headers(), trailer: new Headers() };
        return { stream: false, service, method, message, ...parts };
      };
      const stream = () =>
        Promise.reject(new Error("the simulated network does not support streaming RPCs"));
      return createClient(service, { unary, stream } as Transport);
    },
  };
}

/** Returns `payout` for the process `payout-1`. */
function serviceOf({ name }: ProcessInstance): Principal {
  return { kind: "service", name: name.replace(/-\d+$/, "") };
}

type Desc = DescMethodUnary["input"];

/**
 * Returns the remaining time of the request. Clients of the chassis calculate it in the same way.
 */
function waitOf(caller: ProcessInstance | undefined): number {
  if (caller === undefined) return edgeTimeoutMs;
  const deadlineMs = callContext()?.deadlineMs;
  const leftMs = deadlineMs === undefined ? timeoutMs : deadlineMs - Date.now() - reserveMs;
  if (leftMs <= 0)
    throw new ConnectError("the caller's deadline has passed", Code.DeadlineExceeded);
  return Math.min(leftMs, timeoutMs);
}

function send(scheduler: Scheduler, servers: readonly Server[], call: Call): Promise<Uint8Array> {
  const { faults, random } = scheduler;
  const { method, caller, waitMs } = call;
  const { name } = method;
  const delayMs = () =>
    faults.happens("call: slow", 0.01) ? random.below(slowMs) : random.fraction() * hopMs;
  return new Promise((resolve, reject) => {
    const refuse = (code: Code, label: string, afterMs = delayMs()) =>
      scheduler.after(afterMs, {
        label: `${name} ${label}`,
        owner: caller,
        run: () => reject(new ConnectError("the service does not answer", code)),
      });
    refuse(Code.DeadlineExceeded, "out of time", waitMs);
    if (servers.length === 0 || faults.happens("call: request lost", 0.01)) {
      refuse(Code.Unavailable, "request lost");
      return;
    }
    const server = random.pick(servers);
    let isAnswered = false;
    const answered = (settle: () => void) => {
      isAnswered = true;
      if (faults.happens("call: answer lost", 0.015)) refuse(Code.Unavailable, "answer lost");
      else scheduler.after(delayMs(), { label: `${name} answered`, owner: caller, run: settle });
    };
    const gone = () => {
      if (isAnswered) return;
      isAnswered = true;
      faults.count("call: server gone");
      refuse(Code.Unavailable, "server gone");
    };
    const arrive = (isRepeat: boolean) => {
      server.instance?.onEnd(gone);
      handle(server, call).then(
        (bytes) => isRepeat || answered(() => resolve(bytes)),
        (error: unknown) => isRepeat || answered(() => reject(error)),
      );
    };
    const deliver = (isRepeat: boolean) =>
      scheduler.after(delayMs(), {
        label: `${name} arrives`,
        owner: server.instance,
        run: () => arrive(isRepeat),
        onDead: gone,
      });
    deliver(false);
    if (faults.happens("call: repeated", 0.01)) deliver(true);
  });
}

/**
 * Repeats an external caller's call until it returns a result or an error code. `pause` runs before
 * each repetition. If `pause` returns a text, that text is the result.
 */
export async function untilAnswered<T>(
  call: () => Promise<T>,
  pause: () => Promise<unknown>,
): Promise<T | string> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const refusal = readRefusal(error);
      if (refusal !== undefined) return refusal.code;
      const { code } = ConnectError.from(error);
      if (code === Code.Unimplemented || code === Code.InvalidArgument) throw error;
      const end = await pause();
      if (typeof end === "string") return end;
    }
  }
}

const alone = () => async () => undefined;

/** Runs a server's handler in its own context, with the request's id and deadline. */
async function handle(server: Server, call: Call): Promise<Uint8Array> {
  const { method, request, principal, requestId, waitMs } = call;
  const work = async (): Promise<Uint8Array> => {
    const handler = server.handlers[method.localName];
    if (handler === undefined) throw new ConnectError(method.name, Code.Unimplemented);
    try {
      const context = { requestId, deadlineMs: Date.now() + waitMs, principal };
      const message = fromBinary(method.input, request);
      const answer = await withCallContext(context, () =>
        withProvenAbsence(server.database?.watchPrimary ?? alone, () => handler(message)),
      );
      return toBinary(method.output, create(method.output, answer as Record<string, unknown>));
    } catch (error) {
      throw rpcErrorOf(error, method.name, server.log);
    }
  };
  return server.instance === undefined ? work() : server.instance.within(work);
}
