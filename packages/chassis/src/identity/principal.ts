import type { Role as RoleEnum } from "@disburse/contracts/disburse/type/v1/access_pb.ts";
import type { WordOf } from "../rpc/enum-words.ts";

/** What a person may do: the words of `disburse.type.v1.Role`. */
export type Role = WordOf<typeof RoleEnum>;

/** Who calls, as a signed token says. */
export type Principal =
  /** A process of a service. */
  | { readonly kind: "service"; readonly name: string }
  /** A person of the operator's team, by the subject that the issuer of tokens gave them. */
  | { readonly kind: "person"; readonly id: string; readonly roles: ReadonlySet<Role> };

/** A principal in metrics and logs, as one of few: all persons are one. */
export function callerOf(principal: Principal | undefined): string {
  if (principal === undefined) return "";
  return principal.kind === "service" ? principal.name : "person";
}
