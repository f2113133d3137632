import type { Client } from "@connectrpc/connect";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { MemberSessions } from "../sessions/members.ts";
import type { OperatorSessions } from "../sessions/operators.ts";
import type { Provider, SignedIn } from "../sessions/provider.ts";
import type { SessionKind } from "../sessions/rules/session.ts";
import type { NewSession } from "../sessions/store.ts";
import { scopesOf } from "../team/rules/role.ts";
import { type Members, memberOf, personOf } from "../team/store.ts";

/** What a session says of its person. */
export type Description = Pick<NewSession, "person" | "merchant" | "signedInAt"> & {
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly endsAt: Date;
};

/** One of the two doors by which people come in: that of merchants' people, or of operators. */
export type Portal = {
  readonly kind: SessionKind;
  /** Where browsers reach it: `https://console.example.com`; absent where none can sign in. */
  readonly origin: string | undefined;
  readonly provider: Provider | undefined;
  /** The session of who signed in; nothing where this door is not for that person. */
  readonly admit: (
    person: SignedIn,
    merchantId: string | undefined,
  ) => Promise<NewSession | undefined>;
  /** Who has the session of a token; nothing where it has ended. */
  readonly describe: (token: string) => Promise<Description | undefined>;
};

/** How a portal's people sign in, where they can. */
export type PortalAddress = Pick<Portal, "origin" | "provider">;

/** The portal of merchants' people, on the public port. */
export function memberPortal(
  address: PortalAddress,
  deps: {
    readonly members: Members;
    readonly sessions: MemberSessions;
    readonly beneficiary: Client<typeof BeneficiaryService>;
    readonly clock: Clock;
  },
): Portal {
  const { members, sessions, beneficiary, clock } = deps;
  /** The name is for people to read; without it they see the id. */
  const nameOf = async (merchantId: string): Promise<string> => {
    try {
      return (await beneficiary.getMerchant({ merchantId })).merchant?.name ?? merchantId;
    } catch (error) {
      if (isUnavailable(error)) throw error;
      return merchantId;
    }
  };
  return {
    ...address,
    kind: "member",
    admit: async ({ issuer, id, email, isEmailVerified, authTime }, merchantId) => {
      const person = { issuer, id, email: isEmailVerified ? email : undefined };
      const member = await memberOf(members, person, merchantId, clock.now());
      if (member === undefined) return undefined;
      return {
        kind: "member",
        memberId: member._id,
        person: { id: member._id, ...personOf(members, member) },
        merchant: { id: member.merchant_id, name: await nameOf(member.merchant_id) },
        signedInAt: authTime === undefined ? clock.now() : new Date(authTime * 1_000),
      };
    },
    describe: async (token) => {
      const found = await sessions.find(token);
      if (found === undefined) return undefined;
      const { role } = found.member;
      return { ...found.session, roles: [role], scopes: [...scopesOf(role)] };
    },
  };
}

/** The portal of operators, on the operators' door. */
export function operatorPortal(
  address: PortalAddress,
  { sessions, clock }: { readonly sessions: OperatorSessions; readonly clock: Clock },
): Portal {
  return {
    ...address,
    kind: "operator",
    admit: async ({ id, name, email, tokens }) => {
      const principal = await sessions.personOf(tokens.accessToken);
      // A person without a role may do nothing here.
      if (principal === undefined || principal.roles.size === 0) return undefined;
      const { signIn } = principal;
      const signedInAt =
        typeof signIn === "object" ? new Date(signIn.atSeconds * 1_000) : clock.now();
      const person = { id, name, email };
      return { kind: "operator", person, merchant: null, tokens, signedInAt };
    },
    describe: async (token) => {
      const found = await sessions.find(token);
      if (found === undefined) return undefined;
      return { ...found.session, roles: [...found.principal.roles], scopes: [] };
    },
  };
}
