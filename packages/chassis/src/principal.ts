import type { Role as RoleEnum } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import type { EnumName } from "./enum-names.ts";

/** A person's role, an enum name of `disburse.type.v1.Role`. */
export type Role = EnumName<typeof RoleEnum>;

/** A person's last sign-in, as stated by the token's issuer. */
export type SignIn = {
  /** The time of the sign-in in seconds since the epoch (`auth_time` of OpenID Connect). */
  readonly atSeconds: number;
  /** The authentication class (`acr` of OpenID Connect). "" if the token names none. */
  readonly acr: string;
};

/**
 * The operator who uses a service's key, and the operator's reason. The name is only a claim,
 * because anyone with the key can state any name. The audit trail records the name as stated.
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
  /** An operator, identified by the subject in the issuer's tokens. */
  | {
      readonly kind: "person";
      readonly id: string;
      readonly roles: ReadonlySet<Role>;
      /**
       * The last sign-in. Absent if the token names none. `exempt` marks a token that the sandbox
       * creates without a sign-in. Such a token counts as a fresh sign-in.
       */
      readonly signIn?: SignIn | "exempt" | undefined;
    };

/**
 * Returns a label for a principal in metrics and logs. All persons share one label, so there are
 * only a few labels.
 */
export function callerOf(principal: Principal | undefined): string {
  if (principal === undefined) return "";
  return principal.kind === "service" ? principal.name : "person";
}
