import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { access, Role as RoleEnum } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import { enumName } from "../enum-names.ts";
import { callerOf, type Principal, type Role } from "../principal.ts";
import { demandStepUp, type StepUp } from "./step-up.ts";

export type Callers = {
  readonly services: ReadonlySet<string>;
  readonly roles: ReadonlySet<Role>;
  /** True if a person needs a recent sign-in. */
  readonly stepUp: boolean;
};

/** Services that describe a server: open to all callers with an identity. */
const openToAll: ReadonlySet<string> = new Set(["grpc.reflection.v1.ServerReflection"]);

const known = new WeakMap<DescMethod, Callers>();

/** Reads the allowed callers of an RPC from the contract; nobody may call an RPC without them. */
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
 * Throws PERMISSION_DENIED if a principal may not call an RPC, and UNAUTHENTICATED if it may after
 * a fresh sign-in.
 */
export function authorise(method: DescMethod, principal: Principal, stepUp: StepUp): void {
  if (openToAll.has(method.parent.typeName)) return;
  const callers = callersOf(method);
  if (!isPermitted(callers, principal)) {
    throw new ConnectError(
      `${method.name} is not open to ${callerOf(principal)}`,
      Code.PermissionDenied,
    );
  }
  if (callers.stepUp) demandStepUp(principal, stepUp);
}

function isPermitted({ services, roles }: Callers, principal: Principal): boolean {
  if (principal.kind === "service") return services.has(principal.name);
  return [...principal.roles].some((role) => roles.has(role));
}
