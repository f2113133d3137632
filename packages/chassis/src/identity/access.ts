import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { access, Role as RoleEnum } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import { enumName } from "../enum-names.ts";
import { callerOf, type Principal, type Role } from "../principal.ts";
import { demandStepUp, type StepUp } from "./step-up.ts";

export type Callers = {
  readonly services: ReadonlySet<string>;
  readonly roles: ReadonlySet<Role>;
  /** True if a person must have signed in recently. */
  readonly stepUp: boolean;
};

/** Services that only describe the server. Every identified caller may use them. */
const openToAll: ReadonlySet<string> = new Set(["grpc.reflection.v1.ServerReflection"]);

const known = new WeakMap<DescMethod, Callers>();

/**
 * Reads the allowed callers of an RPC from the contract. If the contract lists none, no one may
 * call the RPC.
 */
export function callersOf(method: DescMethod): Callers {
  let callers = known.get(method);
  if (callers === undefined) {
    const { services, roles, stepUp } = getOption(method, access);
    const words = roles.map((role) => enumName(RoleEnum, role));
    callers = {
      services: new Set(services),
      roles: new Set(words.filter((word) => word !== undefined)),
      stepUp,
    };
    known.set(method, callers);
  }
  return callers;
}

/**
 * Throws PERMISSION_DENIED if the principal may not call the RPC. Throws UNAUTHENTICATED if the
 * principal may call the RPC only after a fresh sign-in.
 */
export function authorise(method: DescMethod, principal: Principal, stepUp: StepUp): void {
  if (openToAll.has(method.parent.typeName)) return;
  const callers = callersOf(method);
  if (!isPermitted(callers, principal)) {
    throw new ConnectError(
      `${callerOf(principal)} may not call ${method.name}`,
      Code.PermissionDenied,
    );
  }
  if (callers.stepUp) demandStepUp(principal, stepUp);
}

function isPermitted({ services, roles }: Callers, principal: Principal): boolean {
  if (principal.kind === "service") return services.has(principal.name);
  return [...principal.roles].some((role) => roles.has(role));
}
