import type { DescMethod, DescMethodUnary, DescService, MessageShape } from "@bufbuild/protobuf";
import type { HandlerContext, MethodImpl, ServiceImpl } from "@connectrpc/connect";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { otherContent } from "@disburse/kernel/refusal.ts";
import type { Db } from "mongodb";
import {
  callRecord,
  isPrivileged,
  type PendingCall,
  pendingCall,
  subjectOf,
} from "../audit/calls.ts";
import { openAuditStore } from "../audit/store.ts";
import { callContext } from "../call-context.ts";
import { insertOnce } from "../mongo/once.ts";
import type { StoredActor } from "../rpc/mutation.ts";
import { isRefusal, orThrow } from "../rpc/refusal.ts";
import { readChange } from "./content.ts";
import { readStream } from "./stream.ts";

/**
 * An operation with the digest of its first request. A repeat of the operation id must have the
 * same request.
 */
type OperationDocument = {
  /**
   * Format: `<RPC> <merchant id> <operation id>`. The merchant id is present if the request has
   * one.
   */
  _id: string;
  schema_version: number;
  /** Absent if the RPC itself compares a repeat with the first request. */
  operation_content?: string;
  /**
   * The only attempt so far. It may still remove the binding, because no other attempt relies on
   * it.
   */
  only_try?: string;
  pending?: PendingCall;
  created_at: Date;
};

export type OperationBindings = ReturnType<typeof openOperationBindings>;

/**
 * Adds a secret key to a request's digest, so that the request can't be guessed from it. Used for
 * requests with encrypted fields. `like` is a stored digest whose key is used.
 */
export type KeyContent = (content: string, like?: string) => string;

/** The maximum number of audit entries that one sweep writes. */
const sweptMax = 1_000;

/** Opens the collection `operations` of a service's database, and the service's audit trail. */
export function openOperationBindings(
  { db }: { readonly db: Db },
  keyContent: KeyContent = (content) => content,
) {
  const operations = db.collection<OperationDocument>("operations");
  const audit = openAuditStore<string>({ db });
  return {
    keyContent,
    /**
     * Stores an operation with the digest of its request and a pending audit entry, before the
     * operation changes anything. `content` is absent if the RPC itself compares it. Returns a
     * function that removes the binding, unless another attempt has begun meanwhile. Returns
     * `undefined` if the operation is bound to other content.
     */
    bind: async (
      id: string,
      content: string | undefined,
      pending?: PendingCall,
    ): Promise<(() => Promise<void>) | undefined> => {
      const only_try = crypto.randomUUID();
      const bound = {
        _id: id,
        schema_version: 1,
        only_try,
        ...(content !== undefined && { operation_content: keyContent(content) }),
        ...(pending && { pending }),
      };
      for (;;) {
        if (await insertOnce(operations, { ...bound, created_at: new Date() })) {
          return async () => void (await operations.deleteOne({ _id: id, only_try }));
        }
        // From now on the first attempt can't remove the binding, because this attempt relies on
        // it.
        const known = await operations.findOneAndUpdate({ _id: id }, { $unset: { only_try: "" } });
        if (known === null) continue;
        const { operation_content: stored } = known;
        const same = content === undefined ? undefined : keyContent(content, stored);
        if (stored !== same) return undefined;
        if (pending !== undefined) await operations.updateOne({ _id: id }, { $set: { pending } });
        return async () => undefined;
      }
    },
    /** Writes the audit entry of a finished call, which is then no longer pending. */
    settle: async (id: string, pending: PendingCall, subject: string): Promise<void> => {
      await audit.append(callRecord(pending, "done", subject));
      await operations.updateOne({ _id: id }, { $unset: { pending: "" } });
    },
    /** Writes the audit entry of a call that is recorded although it changed nothing. */
    note: async (pending: PendingCall, subject: string): Promise<void> => {
      await audit.append(callRecord(pending, "done", subject));
    },
    /**
     * Writes pending audit entries of calls that never returned, because the call failed or its
     * process died. Their outcome is `unknown`. Entries that a repeated call has already written
     * are skipped. Safe to run concurrently with calls and other sweeps. Returns true if there is
     * more to do.
     */
    sweepPending: async (now: Date): Promise<boolean> => {
      const due = { "pending.due_at": { $lte: now } };
      const found = await operations.find(due).limit(sweptMax).toArray();
      for (const { _id, pending } of found) {
        if (pending === undefined) continue;
        const isDone = await audit.has(callRecord(pending, "done", ""));
        if (!isDone) await audit.append(callRecord(pending, "unknown", ""));
        // A repeated call that has begun meanwhile has its own pending entry, which must stay.
        await operations.updateOne({ _id, "pending.at": pending.at }, { $unset: { pending: "" } });
      }
      return found.length === sweptMax;
    },
  };
}

type Mutating = { readonly mutation?: Mutation | undefined; readonly merchantId?: unknown };
type Handler = (request: unknown, context: HandlerContext) => unknown;

/** Lists the RPCs that need special treatment. */
export type BoundRpcs<Rpc> = {
  /** RPCs that themselves compare the request with their stored documents. */
  readonly own?: readonly (keyof Rpc & string)[];
  /** RPCs that are also recorded when a merchant's key or member calls them. */
  readonly decisions?: readonly (keyof Rpc & string)[];
  /** RPCs that change nothing but are recorded if a person calls them. */
  readonly noted?: readonly (keyof Rpc & string)[];
  /** Streams of which some change nothing. Their entries say so. */
  readonly readStreams?: { readonly [Name in keyof Rpc & string]?: ReadOf };
};

/** An audit entry of a stream that changed nothing. */
export type ReadEntry = {
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
};

/** Returns the entry by the first message, or `undefined` if the stream changes something. */
type ReadOf = (first: object) => ReadEntry | undefined;

/**
 * Wraps handlers so that a repeated operation id with a different request is refused. If the
 * request of a unary RPC has a `mutation`, its operation id is stored with the request's digest
 * before the RPC runs. If the RPC refuses, the binding is removed, because nothing has changed.
 * Each merchant has its own operation ids. The audit trail records each privileged call of these
 * RPCs, each privileged stream that begins with a mutation, and each decision. The entry is written
 * before the response. A pending entry is stored before the call has an effect.
 */
export function bindOperations<S extends DescService, Rpc extends Partial<ServiceImpl<S>>>(
  service: S,
  rpc: Rpc,
  bindings: OperationBindings,
  { own = [], decisions = [], noted = [], readStreams = {} }: BoundRpcs<Rpc> = {},
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
      const { [method.localName]: read } = readStreams as Record<string, ReadOf | undefined>;
      bound[method.localName] = auditedStream(method, work, bindings, read);
    } else if (isAmong(noted)) {
      bound[method.localName] = notedHandler(method, work, bindings);
    }
  }
  return bound as Rpc;
}

/** Returns true if an RPC changes something, once for each operation id. */
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
    // For merchants, an RPC that itself compares a repeat with the first request needs no extra
    // write.
    if (isOwn && !isPrivileged(callContext()?.principal)) return handle(request, context);
    const mutating = request as MessageShape<DescMethodUnary["input"]> & Mutating;
    const { operationId: operation, content, actor } = readChange(method.input, mutating);
    const merchantId = merchantOf(mutating);
    const scope = merchantId === undefined ? [method.name] : [method.name, merchantId];
    const kept = bindings.keyContent(content);
    const audited = { merchant_id: merchantId ?? "", operation, content: kept };
    return runBound({
      method,
      bindings,
      request: mutating,
      id: [...scope, operation].join(" "),
      content: isOwn ? undefined : content,
      pending: pendingCallOf(method, audited, isDecision ? actor : undefined),
      handle: () => handle(request, context),
    });
  };
}

type BoundCall = {
  readonly method: DescMethod;
  readonly bindings: OperationBindings;
  readonly id: string;
  readonly content: string | undefined;
  readonly pending: PendingCall | undefined;
  /** Returns the digest of a stream's messages after the last one. */
  readonly contentAfter?: () => string;
  readonly request: object;
  readonly handle: () => unknown;
};

/** Binds, runs and records one call. */
async function runBound(call: BoundCall) {
  const { method, bindings, id, pending, request } = call;
  const unbind = await bindings.bind(id, call.content, pending);
  if (unbind === undefined) return orThrow(otherContent);
  let response: unknown;
  try {
    response = await call.handle();
  } catch (error) {
    if (isRefusal(error)) await unbind();
    throw error;
  }
  if (pending === undefined) return response;
  const content = call.contentAfter?.() ?? pending.content;
  await bindings.settle(id, { ...pending, content }, subjectOf(method, request, response));
  return response;
}

/**
 * Audits a stream whose first message has a mutation. The RPC itself compares a repeat with the
 * first request.
 */
function auditedStream(
  method: DescMethod,
  handle: Handler,
  bindings: OperationBindings,
  readOf: ReadOf = () => undefined,
): Handler {
  return async (requests, context) => {
    if (!isPrivileged(callContext()?.principal)) return handle(requests, context);
    const stream = await readStream(method.input, requests as AsyncIterable<object>);
    const operation = stream.mutation?.operationId ?? "";
    // If there is no operation id, the handler itself refuses the call.
    if (operation === "") return handle(stream.messages, context);
    const read = readOf(stream.first ?? {});
    if (read !== undefined) {
      const response = await handle(stream.messages, context);
      await noteRead(method, bindings, { ...read, content: stream.digest() });
      return response;
    }
    return runBound({
      method,
      bindings,
      id: `${method.name} ${operation}`,
      content: undefined,
      request: {},
      pending: pendingCallOf(method, { merchant_id: "", operation, content: "" }),
      contentAfter: () => bindings.keyContent(stream.digest()),
      handle: () => handle(stream.messages, context),
    });
  };
}

/** Records a stream that changed nothing. Its own operation id may still make a change. */
async function noteRead(
  method: DescMethod,
  bindings: OperationBindings,
  { subject, detail, content }: ReadEntry & { readonly content: string },
): Promise<void> {
  const operation = crypto.randomUUID();
  const audited = { merchant_id: "", operation, content: bindings.keyContent(content) };
  const pending = pendingCallOf(method, audited);
  if (pending === undefined) return;
  const all = { ...JSON.parse(pending.detail || "{}"), ...detail };
  await bindings.note({ ...pending, detail: JSON.stringify(all) }, subject);
}

/** Records a read in the audit trail before a person gets its response. */
function notedHandler(method: DescMethod, handle: Handler, bindings: OperationBindings): Handler {
  return async (request, context) => {
    const response = await handle(request, context);
    if (callContext()?.principal?.kind !== "person") return response;
    const audited = request as object & Mutating;
    const merchant_id = merchantOf(audited) ?? "";
    const operation = crypto.randomUUID();
    const pending = pendingCallOf(method, { merchant_id, operation, content: "" });
    if (pending !== undefined) await bindings.note(pending, subjectOf(method, audited, undefined));
    return response;
  };
}

function pendingCallOf(
  method: DescMethod,
  audited: Parameters<typeof pendingCall>[2],
  decidedBy?: StoredActor,
) {
  return pendingCall(method, callContext(), audited, new Date(), decidedBy);
}

/** Returns the merchant of a request, from the request itself or from a message in it. */
export function merchantOf(request: object): string | undefined {
  const named = [request, ...Object.values(request)].find(namesMerchant);
  return named?.merchantId;
}

function namesMerchant(value: unknown): value is { readonly merchantId: string } {
  if (typeof value !== "object" || value === null || !("merchantId" in value)) return false;
  return typeof value.merchantId === "string";
}
