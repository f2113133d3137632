import { randomBytes } from "node:crypto";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Collection, Db } from "mongodb";
import type { SignedInPerson } from "../team/store.ts";
import {
  idleMs,
  type SessionKind,
  seenEveryMs,
  sessionEnd,
  sessionId,
  wholeMs,
} from "./rules/session.ts";

const collectionName = "sessions";

/**
 * A session as it is stored, under the hash of its token. It is never sealed anew: it ends first.
 */
export type SessionDocument = {
  _id: string;
  schema_version: 1;
  /** `mem_…`; absent of an operator. */
  member_id?: string;
  /** Who it is and, of an operator, the tokens of the provider; as JSON. */
  sealed: string;
  kind: SessionKind;
  signed_in_at: Date;
  seen_at: Date;
  created_at: Date;
};

/** The tokens by which an operator's calls are made. */
export type OperatorTokens = {
  readonly accessToken: string;
  /** In milliseconds since the epoch. */
  readonly endsAtMs: number;
  readonly refreshToken: string | undefined;
};

/** What is sealed of a session. */
type Content = {
  readonly person: { readonly id: string; readonly name: string; readonly email: string };
  /** Of a member: the merchant that the session is for; null before the person is in a team. */
  readonly merchant: { readonly id: string; readonly name: string } | null;
  /** Of a merchants' person: who it is at the provider. */
  readonly subject?: SignedInPerson;
  /** Of an operator. */
  readonly tokens?: OperatorTokens;
};

/** A session that is good. */
export type Session = Content & {
  readonly id: string;
  readonly kind: SessionKind;
  readonly memberId: string | undefined;
  readonly signedInAt: Date;
  readonly endsAt: Date;
};

/** A session to begin. */
export type NewSession = Content & {
  readonly kind: SessionKind;
  readonly memberId?: string | undefined;
  readonly signedInAt: Date;
};

/** The team that a session goes on with. */
export type OtherTeam = Pick<NewSession, "person" | "merchant"> & { readonly memberId: string };

/** The sessions of all people. */
export type Sessions = ReturnType<typeof openSessions>;

const sealContext = (id: string) => `session|${id}`;

const newToken = () => randomBytes(32).toString("base64url");

/**
 * Goes on with a session under a new token, for another team of its person: what was opened under
 * the old token, and with its CSRF token, is refused. The session's end stays.
 */
function mover({
  sessions,
  seal,
  clock,
}: {
  readonly sessions: Collection<SessionDocument>;
  readonly seal: (id: string, content: Content) => string;
  readonly clock: Clock;
}) {
  return async (session: Session, token: string, team: OtherTeam): Promise<string | undefined> => {
    const before = await sessions.findOneAndDelete({ _id: sessionId(token), kind: "member" });
    if (before === null) return undefined;
    const next = newToken();
    const id = sessionId(next);
    const sealed = seal(id, { ...session, ...team });
    const { memberId: member_id } = team;
    await sessions.insertOne({ ...before, _id: id, member_id, sealed, seen_at: clock.now() });
    return next;
  };
}

/**
 * The sessions of people who signed in. A session's token is in its cookie alone: the database has
 * its hash. Every use reads it anew, so that one that was ended works nowhere from then on.
 */
export function openSessions(db: Db, { sealer, clock }: { sealer: Sealer; clock: Clock }) {
  const sessions: Collection<SessionDocument> = db.collection(collectionName);
  const seal = (id: string, { person, merchant, subject, tokens }: Content) =>
    sealer.seal(JSON.stringify({ person, merchant, subject, tokens }), sealContext(id));
  return {
    /** Begins a session; answers its token. */
    begin: async ({ kind, memberId, signedInAt, ...content }: NewSession): Promise<string> => {
      const token = newToken();
      const id = sessionId(token);
      const now = clock.now();
      await sessions.insertOne({
        _id: id,
        schema_version: 1,
        kind,
        ...(memberId !== undefined && { member_id: memberId }),
        sealed: seal(id, content),
        signed_in_at: signedInAt,
        seen_at: now,
        created_at: now,
      });
      return token;
    },
    /**
     * The session of a token; nothing of one that has ended. To find it is to use it, but for a
     * look by which nothing was asked.
     */
    find: async (token: string, kind: SessionKind, isUse = true): Promise<Session | undefined> => {
      const id = sessionId(token);
      const found = await sessions.findOne({ _id: id, kind });
      const now = clock.now();
      if (found === null || now >= sessionEnd(found.created_at, found.seen_at)) return undefined;
      let seenAt = found.seen_at;
      if (isUse && now.getTime() - seenAt.getTime() >= seenEveryMs) {
        seenAt = now;
        await sessions.updateOne({ _id: id }, { $max: { seen_at: now } });
      }
      const content = JSON.parse(sealer.open(found.sealed, sealContext(id))) as Content;
      return {
        ...content,
        id,
        kind,
        memberId: found.member_id,
        signedInAt: found.signed_in_at,
        endsAt: sessionEnd(found.created_at, seenAt),
      };
    },
    /** Keeps the tokens that an operator's session goes on with. */
    renew: async (session: Session, tokens: OperatorTokens): Promise<void> => {
      const sealed = seal(session.id, { ...session, tokens });
      await sessions.updateOne({ _id: session.id }, { $set: { sealed } });
    },
    moveTo: mover({ sessions, seal, clock }),
    /** Ends a session. */
    end: async (token: string): Promise<void> => {
      await sessions.deleteOne({ _id: sessionId(token) });
    },
    /** Ends every session of a member. */
    endOfMember: async (memberId: string): Promise<void> => {
      await sessions.deleteMany({ member_id: memberId });
    },
    /** Deletes those that have ended. */
    sweep: async (): Promise<void> => {
      const nowMs = clock.now().getTime();
      await sessions.deleteMany({
        $or: [
          { created_at: { $lte: new Date(nowMs - wholeMs) } },
          { seen_at: { $lte: new Date(nowMs - idleMs) } },
        ],
      });
    },
  };
}
