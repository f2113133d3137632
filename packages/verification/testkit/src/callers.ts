import type { DescService } from "@bufbuild/protobuf";
import type { Client, Interceptor } from "@connectrpc/connect";
import { type CallContext, callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import { wordOf } from "@disburse/chassis/enum-words.ts";
import type { ClientIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import type { Principal } from "@disburse/chassis/principal.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { everyRole } from "@disburse/sandbox/people.ts";

/**
 * Who calls in tests. A service believes the token of a call and nothing in its message; so that a
 * test can say in one place who makes a change, these make each call as whom its message names.
 */

type Named = {
  readonly mutation?: { readonly actor?: { readonly kind?: Actor_Kind; readonly id?: string } };
};

/** Who calls where neither a message names an actor nor the test runs as somebody. */
const unnamed: Principal = { kind: "service", name: "test" };

function principalOf(message: unknown): Principal {
  const { kind = Actor_Kind.UNSPECIFIED, id = "" } = (message as Named).mutation?.actor ?? {};
  const word = wordOf(Actor_Kind, kind);
  if (word === undefined) return callContext()?.principal ?? unnamed;
  // Merchants' keys and members come by the gateway alone.
  if (word === "api_key" || word === "member") return { kind: "service", name: "gateway" };
  if (word === "service") return { kind: "service", name: id };
  return { kind: "person", id, roles: new Set(everyRole.roles), signIn: "exempt" };
}

const admitNamed: Interceptor = (next) => (request) => {
  const principal = principalOf(request.stream ? {} : request.message);
  // Without a request of its own, as a call of background work is.
  return withCallContext({ ...callContext(), principal } as CallContext, () => next(request));
};

/** For `createRouterTransport`, which has no admission: this stands in for it. */
export const namedCallers = { router: { interceptors: [admitNamed] } };

type Opened<S extends DescService> = { readonly rpc: Client<S>; readonly close: () => unknown };
type Call = (request: unknown, options?: unknown) => unknown;

/**
 * A client of a server with admission. A call whose message names an operator goes by the token of
 * that person, every other one by that of `byDefault`.
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
