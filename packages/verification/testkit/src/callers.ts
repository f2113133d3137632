import type { DescService } from "@bufbuild/protobuf";
import type { Client, Interceptor } from "@connectrpc/connect";
import { type CallContext, callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import { enumName } from "@disburse/chassis/enum-names.ts";
import type { ClientIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import type { Principal } from "@disburse/chassis/principal.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { everyRole } from "@disburse/sandbox/people.ts";

/**
 * Sets the caller of an RPC in tests. A service reads the caller from the call's token, not from
 * the message. These helpers create the token for the actor that the message names, so that a test
 * states the actor only once.
 */

type Named = {
  readonly mutation?: { readonly actor?: { readonly kind?: Actor_Kind; readonly id?: string } };
};

/** The caller if neither the message nor the test names an actor. */
const unnamed: Principal = { kind: "service", name: "test" };

function principalOf(message: unknown): Principal {
  const { kind = Actor_Kind.UNSPECIFIED, id = "" } = (message as Named).mutation?.actor ?? {};
  const name = enumName(Actor_Kind, kind);
  if (name === undefined) return callContext()?.principal ?? unnamed;
  // Calls of merchants' keys and members always come through the gateway.
  if (name === "api_key" || name === "member") return { kind: "service", name: "gateway" };
  if (name === "service") return { kind: "service", name: id };
  return { kind: "person", id, roles: new Set(everyRole.roles), signIn: "exempt" };
}

const admitNamed: Interceptor = (next) => (request) => {
  const principal = principalOf(request.stream ? {} : request.message);
  // A test has no request of its own, like background work.
  return withCallContext({ ...callContext(), principal } as CallContext, () => next(request));
};

/** `createRouterTransport` has no authentication. This interceptor sets the caller instead. */
export const namedCallers = { router: { interceptors: [admitNamed] } };

type Opened<S extends DescService> = { readonly rpc: Client<S>; readonly close: () => unknown };
type Call = (request: unknown, options?: unknown) => unknown;

/**
 * Creates a client for a server that authenticates callers. If a message names an operator, the
 * call has that person's token. Otherwise the call has the token of `byDefault`.
 */
export function callAsNamed<S extends DescService>(
  connect: (identity: ClientIdentity) => Opened<S>,
  person: (id: string) => ClientIdentity,
  byDefault: string,
): Opened<S> {
  const opened = new Map<string, Opened<S>>();
  const clientOf = (id: string): Client<S> => {
    const known = opened.get(id) ?? connect(person(id));
    opened.set(id, known);
    return known.rpc;
  };
  const rpc = new Proxy(clientOf(byDefault), {
    get: (_target, method: string) => (request: unknown, options?: unknown) => {
      const { kind, id = "" } = (request as Named | undefined)?.mutation?.actor ?? {};
      const client = clientOf(kind === Actor_Kind.OPERATOR ? id : byDefault);
      return (client as unknown as Record<string, Call>)[method]?.(request, options);
    },
  });
  return { rpc, close: () => Promise.all([...opened.values()].map(({ close }) => close())) };
}
