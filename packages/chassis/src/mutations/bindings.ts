import type { DescMethod, DescMethodUnary, DescService, MessageShape } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type HandlerContext,
  type MethodImpl,
  type ServiceImpl,
} from "@connectrpc/connect";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { otherContent } from "@disburse/kernel/refusal.ts";
import type { Db } from "mongodb";
import { callRecord, isPrivileged, type OwedCall, owedCall, subjectOf } from "../audit/calls.ts";
import { openAuditStore } from "../audit/store.ts";
import { callContext } from "../call-context.ts";
import { insertOnce } from "../mongo/once.ts";
import type { StoredActor } from "../rpc/mutation.ts";
import { orThrow, readRefusal } from "../rpc/refusal.ts";
import { readChange } from "./content.ts";
import { readStream } from "./stream.ts";

/** An operation, bound to the content that it first came with. */
type OperationDocument = {
  /** `<RPC> <merchant id> <operation id>`; the merchant's where the request has one. */
  _id: string;
  schema_version: number;
  /** Absent where the operation compares it by itself. */
  operation_content?: string;
  /** The try that may still unbind it: no other one has relied on it. */
  only_try?: string;
  /** An entry that the audit trail does not have yet. */
  owed?: OwedCall;
  created_at: Date;
};

/** The operations of a service whose changes do not store them under a unique key. */
export type OperationBindings = ReturnType<typeof openOperationBindings>;

/** Makes of a digest one that cannot be guessed from, for requests whose fields are sealed. */
export type KeyContent = (content: string) => string;

/** Entries that one run of the sweep writes at most. */
const sweptMax = 1_000;

/** The collection `operations` of a service's database, and its audit trail. */
export function openOperationBindings(
  { db }: { readonly db: Db },
  keyContent: KeyContent = (content) => content,
) {
  const operations = db.collection<OperationDocument>("operations");
  const audit = openAuditStore<string>({ db });
  return {
    keyContent,
    /**
     * Binds an operation to a content, and an entry that it owes to the trail, before its change is
     * made; no content where the operation compares it by itself. Answers with what unbinds it,
     * unless another try has come meanwhile; `undefined`: it is bound to other content.
     */
    bind: async (
      id: string,
      content: string | undefined,
      owed?: OwedCall,
    ): Promise<(() => Promise<void>) | undefined> => {
      const only_try = crypto.randomUUID();
      const bound = {
        _id: id,
        schema_version: 1,
        only_try,
        ...(content !== undefined && { operation_content: content }),
        ...(owed && { owed }),
      };
      for (;;) {
        if (await insertOnce(operations, { ...bound, created_at: new Date() })) {
          return async () => void (await operations.deleteOne({ _id: id, only_try }));
        }
        // From here on the first try cannot unbind what this one relies on.
        const known = await operations.findOneAndUpdate({ _id: id }, { $unset: { only_try: "" } });
        if (known === null) continue;
        if (known.operation_content !== content) return undefined;
        if (owed !== undefined) await operations.updateOne({ _id: id }, { $set: { owed } });
        return async () => undefined;
      }
    },
    /** Writes the entry of a call that has its answer: from then on nothing is owed. */
    settle: async (id: string, owed: OwedCall, subject: string): Promise<void> => {
      await audit.append(callRecord(owed, "done", subject));
      await operations.updateOne({ _id: id }, { $unset: { owed: "" } });
    },
    /** Writes the entry of a call that changed nothing, and is kept all the same. */
    note: async (owed: OwedCall, subject: string): Promise<void> => {
      await audit.append(callRecord(owed, "done", subject));
    },
    /**
     * Writes the entries of calls that never got their answer, because their process ended or they
     * failed on the way: as `unknown`, unless a repeat has written one. Safe beside calls and other
     * sweeps; answers whether there is more to do.
     */
    sweepOwed: async (now: Date): Promise<boolean> => {
      const due = { "owed.due_at": { $lte: now } };
      const found = await operations.find(due).limit(sweptMax).toArray();
      for (const { _id, owed } of found) {
        if (owed === undefined) continue;
        const isDone = await audit.has(callRecord(owed, "done", ""));
        if (!isDone) await audit.append(callRecord(owed, "unknown", ""));
        // A repeat that has begun meanwhile owes its own.
        await operations.updateOne({ _id, "owed.at": owed.at }, { $unset: { owed: "" } });
      }
      return found.length === sweptMax;
    },
  };
}

type Mutating = { readonly mutation?: Mutation | undefined; readonly merchantId?: unknown };
type Handler = (request: unknown, context: HandlerContext) => unknown;

/** How the handlers of a service keep what they are asked. */
export type BoundRpcs<Rpc> = {
  /** RPCs that compare the content with what they store. */
  readonly own?: readonly (keyof Rpc & string)[];
  /** RPCs that are in the trail where a merchant's key or member calls them too. */
  readonly decisions?: readonly (keyof Rpc & string)[];
  /** RPCs that change nothing, and are kept in the trail where a person calls them. */
  readonly noted?: readonly (keyof Rpc & string)[];
};

/**
 * Handlers that refuse an operation id which comes again with other content: each unary RPC whose
 * request has a `mutation` binds the two before it runs, and unbinds them where it refuses, for
 * then nothing has changed. A merchant's operations are its own. A privileged call of any of them,
 * and of a stream that begins with a mutation, and each call that is a decision, is in the audit
 * trail before it is answered; what it owes is stored before it has an effect.
 */
export function bindOperations<S extends DescService, Rpc extends Partial<ServiceImpl<S>>>(
  service: S,
  rpc: Rpc,
  bindings: OperationBindings,
  { own = [], decisions = [], noted = [] }: BoundRpcs<Rpc> = {},
): Rpc {
  const bound: Record<string, unknown> = { ...rpc };
  for (const method of service.methods) {
    const handle = bound[method.localName] as MethodImpl<DescMethodUnary> | undefined;
    if (handle === undefined) continue;
    const work = handle as Handler;
    const isAmong = (list: readonly string[]) => list.includes(method.localName);
    if (isMutation(method)) {
      const how = { isOwn: isAmong(own), isDecision: isAmong(decisions) };
      bound[method.localName] = boundHandler(method, work, bindings, how);
    } else if (method.methodKind === "client_streaming") {
      bound[method.localName] = auditedStream(method, work, bindings);
    } else if (isAmong(noted)) {
      bound[method.localName] = notedHandler(method, work, bindings);
    }
  }
  return bound as Rpc;
}

/** Whether an RPC changes something once for its operation id. */
export function isMutation(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary" && method.input.field.mutation !== undefined;
}

function boundHandler(
  method: DescMethodUnary,
  handle: Handler,
  bindings: OperationBindings,
  { isOwn, isDecision }: { readonly isOwn: boolean; readonly isDecision: boolean },
): Handler {
  return async (request, context) => {
    // What compares by itself costs merchants no write.
    if (isOwn && !isPrivileged(callContext()?.principal)) return handle(request, context);
    const mutating = request as MessageShape<DescMethodUnary["input"]> & Mutating;
    const { operationId: operation, content, actor } = readChange(method.input, mutating);
    const merchantId = merchantOf(mutating);
    const scope = merchantId === undefined ? [method.name] : [method.name, merchantId];
    const kept = isOwn ? bindings.keyContent(content) : content;
    const asked = { merchant_id: merchantId ?? "", operation, content: kept };
    return runBound({
      method,
      bindings,
      request: mutating,
      id: [...scope, operation].join(" "),
      content: isOwn ? undefined : content,
      owed: owedOf(method, asked, isDecision ? actor : undefined),
      handle: () => handle(request, context),
    });
  };
}

type BoundCall = {
  readonly method: DescMethod;
  readonly bindings: OperationBindings;
  readonly id: string;
  readonly content: string | undefined;
  readonly owed: OwedCall | undefined;
  /** The content of a stream, once all of it has come. */
  readonly contentAfter?: () => string;
  readonly request: object;
  readonly handle: () => unknown;
};

/** Binds, runs and records one call. */
async function runBound(call: BoundCall) {
  const { method, bindings, id, owed, request } = call;
  const unbind = await bindings.bind(id, call.content, owed);
  if (unbind === undefined) return orThrow(otherContent);
  let response: unknown;
  try {
    response = await call.handle();
  } catch (error) {
    if (isRefusal(error)) await unbind();
    throw error;
  }
  if (owed === undefined) return response;
  const content = call.contentAfter?.() ?? owed.content;
  await bindings.settle(id, { ...owed, content }, subjectOf(method, request, response));
  return response;
}

/** A stream whose first message has a mutation; it compares the content by itself. */
function auditedStream(method: DescMethod, handle: Handler, bindings: OperationBindings): Handler {
  return async (requests, context) => {
    if (!isPrivileged(callContext()?.principal)) return handle(requests, context);
    const stream = await readStream(method.input, requests as AsyncIterable<object>);
    const operation = stream.mutation?.operationId ?? "";
    // Without one the handler refuses.
    if (operation === "") return handle(stream.messages, context);
    return runBound({
      method,
      bindings,
      id: `${method.name} ${operation}`,
      content: undefined,
      request: {},
      owed: owedOf(method, { merchant_id: "", operation, content: "" }),
      contentAfter: () => bindings.keyContent(stream.digest()),
      handle: () => handle(stream.messages, context),
    });
  };
}

/** A read that is in the trail before a person gets its answer. */
function notedHandler(method: DescMethod, handle: Handler, bindings: OperationBindings): Handler {
  return async (request, context) => {
    const response = await handle(request, context);
    if (callContext()?.principal?.kind !== "person") return response;
    const asked = request as object & Mutating;
    const merchant_id = merchantOf(asked) ?? "";
    const operation = crypto.randomUUID();
    const owed = owedOf(method, { merchant_id, operation, content: "" });
    if (owed !== undefined) await bindings.note(owed, subjectOf(method, asked, undefined));
    return response;
  };
}

function owedOf(
  method: DescMethod,
  asked: Parameters<typeof owedCall>[2],
  decidedBy?: StoredActor,
) {
  return owedCall(method, callContext(), asked, new Date(), decidedBy);
}

/** The merchant that a request is about: named by the request, or by a message in it. */
export function merchantOf(request: object): string | undefined {
  const named = [request, ...Object.values(request)].find(namesMerchant);
  return named?.merchantId;
}

function namesMerchant(value: unknown): value is { readonly merchantId: string } {
  if (typeof value !== "object" || value === null || !("merchantId" in value)) return false;
  return typeof value.merchantId === "string";
}

/** Whether an RPC said no, rather than failed on the way. */
function isRefusal(error: unknown): boolean {
  const isInvalid = error instanceof ConnectError && error.code === Code.InvalidArgument;
  return isInvalid || readRefusal(error) !== undefined;
}
