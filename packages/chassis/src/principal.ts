import type { Role as RoleEnum } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import type { EnumName } from "./enum-names.ts";

/** A person's role: the enum names of `disburse.type.v1.Role`. */
export type Role = EnumName<typeof RoleEnum>;

/** A person's last sign-in, as stated by the issuer. */
export type SignIn = {
  /** In seconds since the epoch: `auth_time` of OpenID Connect. */
  readonly atSeconds: number;
  /** The class of the authentication, `acr` of OpenID Connect; "" if the token names none. */
  readonly acr: string;
};

/**
 * The operator who uses a service's key, and the reason. The name is unproven, because access to
 * the key does not depend on it. The audit trail records it as stated.
 */
export type ManualUse = { readonly person: string; readonly reason: string };

/** A caller, as identified by a signed token. */
export type Principal =
  | {
      readonly kind: "service";
      readonly name: string;
      /** Present if an operator calls manually with the service's key (`rpc.mjs --to`). */
      readonly operator?: ManualUse | undefined;
    }
  /** An operator, by the subject in the issuer's tokens. */
  | {
      readonly kind: "person";
      readonly id: string;
      readonly roles: ReadonlySet<Role>;
      /**
       * Absent if the token names none. `exempt` is a token that the sandbox creates without a
       * sign-in: it counts as a fresh one.
       */
      readonly signIn?: SignIn | "exempt" | undefined;
    };

/** Labels a principal in metrics and logs with one of few names: all persons share one. */
export function callerOf(principal: Principal | undefined): string {
  if (principal === undefined) return "";
  return principal.kind === "service" ? principal.name : "person";
}
