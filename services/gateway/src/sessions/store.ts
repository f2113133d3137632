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
 * A stored session, under the hash of its token. It is never resealed, because it expires first.
 */
export type SessionDocument = {
  _id: string;
  schema_version: 1;
  /** `mem_…`; absent for an operator. */
  member_id?: string;
  /** JSON of the person and, for an operator, the provider's tokens. */
  sealed: string;
  kind: SessionKind;
  signed_in_at: Date;
  seen_at: Date;
  created_at: Date;
};

/** Tokens for an operator's calls. */
export type OperatorTokens = {
  readonly accessToken: string;
  /** Milliseconds since the Unix epoch. */
  readonly endsAtMs: number;
  readonly refreshToken: string | undefined;
};

type Content = {
  readonly person: { readonly id: string; readonly name: string; readonly email: string };
  /** The session's merchant, for a member; null until the person joins a team. */
  readonly merchant: { readonly id: string; readonly name: string } | null;
  /** Only for a merchants' person: the identity at the provider. */
  readonly subject?: SignedInPerson;
  readonly tokens?: OperatorTokens;
};

/** A session that has not ended. */
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

/** Team that a session continues in. */
export type OtherTeam = Pick<NewSession, "person" | "merchant"> & { readonly memberId: string };

export type Sessions = ReturnType<typeof openSessions>;

const sealContext = (id: string) => `session|${id}`;

const newToken = () => randomBytes(32).toString("base64url");

/**
 * Moves a session to another team of its person, under a new token. The old token and its CSRF
 * token are refused from then on. The session's expiry stays.
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
 * Sessions of signed-in people. Only the cookie has the token; the database has its hash. Every use
 * reads the database, so that an ended session works nowhere.
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
     * Returns the session of a token, or `undefined` if it has ended. Counts as a use unless
     * `isUse` is false, as for a page that only polls.
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
    /** Stores an operator's renewed tokens. */
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
