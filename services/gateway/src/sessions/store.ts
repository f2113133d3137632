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
 * A stored session. Its key is the hash of its token. Sessions are not encrypted again after a key
 * rotation, because they expire earlier.
 */
export type SessionDocument = {
  _id: string;
  schema_version: 1;
  /** The member's id (`mem_…`). Absent for an operator. */
  member_id?: string;
  /** Sealed JSON with the person's data. For an operator, also contains the provider's tokens. */
  sealed: string;
  kind: SessionKind;
  signed_in_at: Date;
  seen_at: Date;
  created_at: Date;
};

/** The tokens with which an operator's calls are sent. */
export type OperatorTokens = {
  readonly accessToken: string;
  /** Milliseconds since the Unix epoch. */
  readonly endsAtMs: number;
  readonly refreshToken: string | undefined;
};

type Content = {
  readonly person: { readonly id: string; readonly name: string; readonly email: string };
  /** The merchant of a member's session. The value is null until the person joins a team. */
  readonly merchant: { readonly id: string; readonly name: string } | null;
  /** For a member: the person's identity at the provider. */
  readonly subject?: SignedInPerson;
  readonly tokens?: OperatorTokens;
};

/** A session that is still valid. */
export type Session = Content & {
  readonly id: string;
  readonly kind: SessionKind;
  readonly memberId: string | undefined;
  readonly signedInAt: Date;
  readonly endsAt: Date;
};

export type NewSession = Content & {
  readonly kind: SessionKind;
  readonly memberId?: string | undefined;
  readonly signedInAt: Date;
};

/** The team that a session switches to. */
export type OtherTeam = Pick<NewSession, "person" | "merchant"> & { readonly memberId: string };

export type Sessions = ReturnType<typeof openSessions>;

const sealContext = (id: string) => `session|${id}`;

const newToken = () => randomBytes(32).toString("base64url");

/**
 * Returns a function that switches a session to another team of the same person. The session gets a
 * new token, and the old token and its CSRF token become invalid. The expiry doesn't change.
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
    const previous = await sessions.findOneAndDelete({ _id: sessionId(token), kind: "member" });
    if (previous === null) return undefined;
    const next = newToken();
    const id = sessionId(next);
    const sealed = seal(id, { ...session, ...team });
    const { memberId: member_id } = team;
    await sessions.insertOne({ ...previous, _id: id, member_id, sealed, seen_at: clock.now() });
    return next;
  };
}

/**
 * Stores the sessions of signed-in people. Only the cookie contains the token, and the database
 * contains the token's hash. Every use reads the database, so a session ends for all processes at
 * once.
 */
export function openSessions(db: Db, { sealer, clock }: { sealer: Sealer; clock: Clock }) {
  const sessions: Collection<SessionDocument> = db.collection(collectionName);
  const seal = (id: string, { person, merchant, subject, tokens }: Content) =>
    sealer.seal(JSON.stringify({ person, merchant, subject, tokens }), sealContext(id));
  return {
    /** Stores a new session and returns its token. */
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
     * Returns the session with a token. Returns `undefined` if the session has ended. The call
     * counts as a use of the session, unless `isUse` is false. A page that only polls sets `isUse`
     * to false.
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
    /** Stores new tokens for an operator's session. */
    renew: async (session: Session, tokens: OperatorTokens): Promise<void> => {
      const sealed = seal(session.id, { ...session, tokens });
      await sessions.updateOne({ _id: session.id }, { $set: { sealed } });
    },
    moveTo: mover({ sessions, seal, clock }),
    end: async (token: string): Promise<void> => {
      await sessions.deleteOne({ _id: sessionId(token) });
    },
    endOfMember: async (memberId: string): Promise<void> => {
      await sessions.deleteMany({ member_id: memberId });
    },
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
