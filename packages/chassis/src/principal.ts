import type { Role as RoleEnum } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import type { WordOf } from "./enum-words.ts";

/** What a person may do: the words of `disburse.type.v1.Role`. */
export type Role = WordOf<typeof RoleEnum>;

/** When and how a person last signed in, as the issuer says. */
export type SignIn = {
  /** In seconds since the epoch: `auth_time` of OpenID Connect. */
  readonly atSeconds: number;
  /** The class of the authentication, `acr` of OpenID Connect; "" where the token names none. */
  readonly acr: string;
};

/**
 * The operator who uses a service's key, and the reason. Nothing proves the name: access to the key
 * does not depend on it. The audit trail keeps it as stated.
 */
export type ManualUse = { readonly person: string; readonly reason: string };

/** Who calls, as a signed token says. */
export type Principal =
  /** A process of a service. */
  | {
      readonly kind: "service";
      readonly name: string;
      /** Present where an operator calls by hand with the service's key (`rpc.mjs --to`). */
      readonly operator?: ManualUse | undefined;
    }
  /** A person of the operator's team, by the subject that the issuer of tokens gave them. */
  | {
      readonly kind: "person";
      readonly id: string;
      readonly roles: ReadonlySet<Role>;
      /**
       * Absent where the token does not say. `exempt` is a token that the sandbox made by itself,
       * without a sign-in: it counts as a fresh one.
       */
      readonly signIn?: SignIn | "exempt" | undefined;
    };

/** A principal in metrics and logs, as one of few: all persons are one. */
export function callerOf(principal: Principal | undefined): string {
  if (principal === undefined) return "";
  return principal.kind === "service" ? principal.name : "person";
}
