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
import { insertOnce } from "../mongo/once.ts";
import { orThrow, readRefusal } from "../rpc/refusal.ts";
import { isOther, readChange, type StoredContent } from "./content.ts";

/** An operation, bound to the content that it first came with. */
type OperationDocument = StoredContent & {
  /** `<RPC> <merchant id> <operation id>`; the merchant's where the request has one. */
  _id: string;
  schema_version: number;
  /** The try that may still unbind it: no other one has relied on it. */
  only_try?: string;
  created_at: Date;
};

/** The operations of a service whose changes do not store them under a unique key. */
export type OperationBindings = ReturnType<typeof openOperationBindings>;

/** The collection `operations` of a service's database. */
export function openOperationBindings({ db }: { readonly db: Db }) {
  const operations = db.collection<OperationDocument>("operations");
  return {
    /**
     * Binds an operation to a content before its change is made. Answers with what unbinds it,
     * unless another try has come meanwhile; `undefined`: it is bound to other content.
     */
    bind: async (id: string, content: string): Promise<(() => Promise<void>) | undefined> => {
      const only_try = crypto.randomUUID();
      const bound = { _id: id, schema_version: 1, operation_content: content, only_try };
      for (;;) {
        if (await insertOnce(operations, { ...bound, created_at: new Date() })) {
          return async () => void (await operations.deleteOne({ _id: id, only_try }));
        }
        // From here on the first try cannot unbind what this one relies on.
        const known = await operations.findOneAndUpdate({ _id: id }, { $unset: { only_try: "" } });
        if (known !== null) return isOther(known, content) ? undefined : async () => undefined;
      }
    },
  };
}

type Mutating = { readonly mutation?: Mutation | undefined; readonly merchantId?: unknown };
type Handler = (
  request: MessageShape<DescMethodUnary["input"]>,
  context: HandlerContext,
) => unknown;

/**
 * Handlers that refuse an operation id which comes again with other content: each unary RPC whose
 * request has a `mutation` binds the two before it runs, and unbinds them where it refuses, for
 * then nothing has changed. A merchant's operations are its own. `own` names RPCs that compare the
 * content with what they store.
 */
export function bindOperations<S extends DescService, Rpc extends Partial<ServiceImpl<S>>>(
  service: S,
  rpc: Rpc,
  bindings: OperationBindings,
  own: readonly (keyof Rpc & string)[] = [],
): Rpc {
  const bound: Record<string, unknown> = { ...rpc };
  for (const method of service.methods) {
    const handle = bound[method.localName] as MethodImpl<DescMethodUnary> | undefined;
    const isOwn = (own as readonly string[]).includes(method.localName);
    if (handle === undefined || isOwn || !isMutation(method)) continue;
    bound[method.localName] = boundHandler(method, handle, bindings);
  }
  return bound as Rpc;
}

/** Whether an RPC changes something once for its operation id. */
export function isMutation(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary" && method.input.field.mutation !== undefined;
}

function boundHandler(
  { name, input }: DescMethodUnary,
  handle: MethodImpl<DescMethodUnary>,
  { bind }: OperationBindings,
): Handler {
  return async (request, context) => {
    const mutating = request as typeof request & Mutating;
    const { operationId, content } = readChange(input, mutating);
    const { merchantId } = mutating;
    const scope = typeof merchantId === "string" ? [name, merchantId] : [name];
    const unbind = await bind([...scope, operationId].join(" "), content);
    if (unbind === undefined) return orThrow(otherContent);
    try {
      return await handle(request, context);
    } catch (error) {
      if (isRefusal(error)) await unbind();
      throw error;
    }
  };
}

/** Whether an RPC said no, rather than failed on the way. */
function isRefusal(error: unknown): boolean {
  const isInvalid = error instanceof ConnectError && error.code === Code.InvalidArgument;
  return isInvalid || readRefusal(error) !== undefined;
}
