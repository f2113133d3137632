import type { Client } from "@connectrpc/connect";
import { createCache } from "@disburse/chassis/cache.ts";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { MemberSessions } from "../sessions/members.ts";
import type { OperatorNames } from "../sessions/operator-names.ts";
import type { OperatorSessions } from "../sessions/operators.ts";
import type { Provider, SignedIn } from "../sessions/provider.ts";
import type { SessionKind } from "../sessions/rules/session.ts";
import type { NewSession, OtherTeam } from "../sessions/store.ts";
import { scopesOf } from "../team/rules/role.ts";
import {
  acceptSeeded,
  invitationsOf,
  type MemberDocument,
  type Members,
  membershipsOf,
  noteSignIn,
  personOf,
  type SignedInPerson,
} from "../team/store.ts";

export type Description = Pick<NewSession, "person" | "merchant" | "signedInAt"> & {
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly endsAt: Date;
  /** Absent for operators, who have no teams. */
  readonly teams?: {
    readonly merchants: readonly ShownTeam[];
    readonly invitations: readonly ShownTeam[];
  };
};

/** A team that a person is a member of or invited to. `id` is the member's id. */
type ShownTeam = {
  readonly id: string;
  readonly merchant: { readonly id: string; readonly name: string };
  readonly role: string;
};

/** A sign-in portal. One serves members of merchants, the other serves operators. */
export type Portal = {
  readonly kind: SessionKind;
  /**
   * The console's origin, for example `https://console.example.com`. Absent if no one can sign in.
   */
  readonly origin: string | undefined;
  readonly provider: Provider | undefined;
  /**
   * Returns a session for the person, or `undefined` if the portal does not admit the person.
   * `previous` is the token of the previous session. The new session keeps that session's team, so
   * signing in again doesn't switch teams.
   */
  readonly admit: (
    person: SignedIn,
    previous: string | undefined,
  ) => Promise<NewSession | undefined>;
  /** Returns the names of operators by id; absent at the members' portal. */
  readonly operatorNames?: () => Promise<Record<string, string>>;
  /** Describes a session to its page. Returns `undefined` if the session has ended. */
  readonly describe: (token: string) => Promise<Description | undefined>;
};

/** Both fields are `undefined` if no one can sign in. */
export type PortalAddress = Pick<Portal, "origin" | "provider">;

/** The portal for members of merchants, on the public port. */
export function memberPortal(
  address: PortalAddress,
  deps: {
    readonly members: Members;
    readonly sessions: MemberSessions;
    readonly merchantNames: MerchantNames;
    readonly clock: Clock;
  },
): Portal {
  const { members, sessions, merchantNames, clock } = deps;
  return {
    ...address,
    kind: "member",
    admit: async ({ issuer, id, name, email, isEmailVerified, authTime }, previous) => {
      const subject = { issuer, id, email: isEmailVerified ? email : undefined };
      await acceptSeeded(members, subject, clock.now());
      const own = await membershipsOf(members, subject);
      const session = previous === undefined ? undefined : await sessions.find(previous);
      const member = own.find(({ _id }) => _id === session?.member._id) ?? own[0];
      // The provider may have a session of any age, so an unknown time is not recent.
      const signedInAt = new Date((authTime ?? 0) * 1_000);
      const fresh = { kind: "member", subject, signedInAt } as const;
      if (member !== undefined) {
        await noteSignIn(members, member._id, { signed_in_at: clock.now() });
        return { ...fresh, ...(await teamOf(members, member, merchantNames)) };
      }
      if ((await invitationsOf(members, subject)).length === 0) return undefined;
      return { ...fresh, person: { id, name, email }, merchant: null };
    },
    describe: async (token) => {
      const found = await sessions.findPerson(token);
      if (found === undefined) return undefined;
      const { session, member } = found;
      const { subject } = session;
      const teams = subject && (await teamsOf(members, subject, merchantNames));
      const role = member?.role;
      return {
        ...session,
        roles: role === undefined ? [] : [role],
        scopes: role === undefined ? [] : [...scopesOf(role)],
        ...(teams && { teams }),
      };
    },
  };
}

export type MerchantNames = (merchantId: string) => Promise<string>;

/**
 * Merchant names are cached, because pages read the session often and a person may have many teams.
 */
const namesKept = { max: 10_000, freshMs: 60_000 };

/** Returns a merchant's registered name, or its id if it is not registered. */
export function createMerchantNames(
  beneficiary: Pick<Client<typeof BeneficiaryService>, "getMerchant">,
  nowMs?: () => number,
): MerchantNames {
  const read = async (merchantId: string): Promise<string | undefined> => {
    try {
      return (await beneficiary.getMerchant({ merchantId })).merchant?.name || undefined;
    } catch (error) {
      if (isUnavailable(error)) throw error;
      return undefined;
    }
  };
  const names = createCache({ ...namesKept, name: "merchant_names", read, nowMs });
  return async (merchantId) => (await names.get(merchantId)) ?? merchantId;
}

export async function teamOf(
  members: Members,
  member: MemberDocument,
  merchantNames: MerchantNames,
): Promise<OtherTeam> {
  const { _id: id, merchant_id } = member;
  const merchant = { id: merchant_id, name: await merchantNames(merchant_id) };
  return { memberId: id, person: { id, ...personOf(members, member) }, merchant };
}

async function teamsOf(members: Members, person: SignedInPerson, merchantNames: MerchantNames) {
  const shown = async ({ _id: id, merchant_id, role }: MemberDocument): Promise<ShownTeam> => ({
    id,
    merchant: { id: merchant_id, name: await merchantNames(merchant_id) },
    role,
  });
  const [own, invited] = await Promise.all([
    membershipsOf(members, person),
    invitationsOf(members, person),
  ]);
  return {
    merchants: await Promise.all(own.map(shown)),
    invitations: await Promise.all(invited.map(shown)),
  };
}

/** The portal for operators, on the operators' port. */
export function operatorPortal(
  address: PortalAddress,
  {
    sessions,
    names,
    clock,
  }: {
    readonly sessions: OperatorSessions;
    readonly names: OperatorNames;
    readonly clock: Clock;
  },
): Portal {
  return {
    ...address,
    kind: "operator",
    operatorNames: names.all,
    admit: async ({ id, name, email, tokens }) => {
      const principal = await sessions.personOf(tokens.accessToken);
      // Operators without a role have no permissions, so they get no session.
      if (principal === undefined || principal.roles.size === 0) return undefined;
      const { signIn } = principal;
      const signedInAt =
        typeof signIn === "object" ? new Date(signIn.atSeconds * 1_000) : clock.now();
      const person = { id, name, email };
      await names.note(id, name);
      return { kind: "operator", person, merchant: null, tokens, signedInAt };
    },
    describe: async (token) => {
      const found = await sessions.find(token);
      if (found === undefined) return undefined;
      return { ...found.session, roles: [...found.principal.roles], scopes: [] };
    },
  };
}
