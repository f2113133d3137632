import {
  type Client,
  createClient,
  createRouterTransport,
  type Interceptor,
  type ServiceImpl,
} from "@connectrpc/connect";
import { openApprovals, type ServiceApprovals } from "@disburse/chassis/approvals/open.ts";
import { callContext, withCallContext } from "@disburse/chassis/call-context.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Verify } from "@disburse/chassis/identity/verifier.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { deadlineDb } from "@disburse/chassis/mongo/deadline-db.ts";
import { bindOperations, openOperationBindings } from "@disburse/chassis/mutations/bindings.ts";
import { rpcErrorOf } from "@disburse/chassis/rpc/admission.ts";
import type { Tracing } from "@disburse/chassis/tracing/tracing.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { RequestLogService } from "@disburse/contracts/disburse/gateway/v1/requests_pb.ts";
import { TeamService } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import type { Db } from "mongodb";
import { cookiesOf } from "./console/cookies.ts";
import { downloadRoutes } from "./console/downloads.ts";
import { eventRoute } from "./console/events.ts";
import { createFeeds } from "./console/feed.ts";
import { consoleFiles } from "./console/files.ts";
import { listSettingsRoutes, openListSettings } from "./console/list-settings.ts";
import { mailRoutes } from "./console/mail-routes.ts";
import { type OperatorProxyDeps, operatorProxyRoutes } from "./console/operator-proxy.ts";
import {
  createMerchantNames,
  memberPortal,
  operatorPortal,
  type Portal,
  type PortalAddress,
} from "./console/portal.ts";
import { sessionRoutes } from "./console/session-routes.ts";
import { teamRoutes } from "./console/team-routes.ts";
import { type AppDeps, createApp } from "./http/app.ts";
import { type NoteRequest, observe } from "./http/observe.ts";
import { type PublicRouteDeps, publicRoutes } from "./http/public-routes.ts";
import { createRateLimiter, type RateLimitOptions } from "./http/rate-limit.ts";
import {
  createShares,
  fileLimits,
  requestLimits,
  type ShareLimits,
  streamLimits,
} from "./http/shares.ts";
import { createUnauthenticatedClients } from "./http/unauthenticated-clients.ts";
import { createUploads, type UploadLimits } from "./http/uploads.ts";
import { freeEnded, openIdempotencyStore, sweep } from "./idempotency/store.ts";
import { createKeyMatching, openKeyCache } from "./keys/cache.ts";
import { assertPeppers, countOlderPeppers, createRehash } from "./keys/peppers.ts";
import { keyGuards, keyService } from "./keys/rpc.ts";
import type { Peppers } from "./keys/rules/peppers.ts";
import { addressSet } from "./keys/rules/source-address.ts";
import type { CarryOut } from "./keys/stops.ts";
import { forgetSecrets, openKeys } from "./keys/store.ts";
import { linkRoutes } from "./links/routes.ts";
import { decimalNames } from "./openapi/text-amounts.ts";
import { createRequestLog, requestLogService } from "./requests/log.ts";
import { openRequestStore } from "./requests/store.ts";
import { referenceIn, routesIn } from "./resources/all.ts";
import { createRevocations } from "./revocations/carry-out.ts";
import { openMemberSessions } from "./sessions/members.ts";
import { openOperatorNames } from "./sessions/operator-names.ts";
import { openOperatorSessions } from "./sessions/operators.ts";
import { cookieName } from "./sessions/rules/session.ts";
import { openSessions } from "./sessions/store.ts";
import { createActorNames } from "./team/actor-names.ts";
import { createAdmins } from "./team/admins.ts";
import { teamGuards, teamService } from "./team/rpc.ts";
import { type Members, openMembers } from "./team/store.ts";

/**
 * Marks the calls to the gateway's own RPCs as calls of the gateway. The gateway has already
 * verified the key or member that it names as the actor. So a merchant's request needs no
 * operator's approval, and the audit trail shows the key or member. An unavailable database is
 * unavailable to the caller, as with the RPCs of other services.
 */
function asGateway(log: Log): Interceptor {
  return (next) => async (request) => {
    const context = { requestId: crypto.randomUUID(), ...callContext() };
    const principal = { kind: "service", name: "gateway" } as const;
    try {
      return await withCallContext({ ...context, principal }, () => next(request));
    } catch (error) {
      throw rpcErrorOf(error, request.method.name, log);
    }
  };
}

export type GatewayDeps = Omit<PublicRouteDeps, "reference"> &
  Pick<AppDeps, "clock" | "log" | "mode" | "answerWithinMs" | "fileTimes" | "approvalSignInMs"> & {
    readonly clients: Omit<
      AppDeps["clients"],
      keyof ReturnType<typeof ownClients> | "pages" | "actorNames" | "admins"
    >;
    readonly db: Db;
    readonly watchPrimary: Database["watchPrimary"];
    readonly metrics: Metrics;
    readonly tracing?: Tracing | undefined;
    readonly peppers: Peppers;
    readonly sealer: Sealer;
    /** The gateway's host and port. Among running gateways, this is unique. */
    readonly place: string;
    readonly proxies: readonly string[];
    readonly rateLimit: RateLimitOptions;
    /** Rate limit for requests without a valid key, for each address. */
    readonly unauthenticatedLimit: RateLimitOptions;
    /** Limit for lookups of unknown key ids, for each address. */
    readonly lookupsLimit: RateLimitOptions;
    readonly people: PeopleDeps;
    /** Only tests set this. Production uses the default. */
    readonly uploadLimits?: UploadLimits;
    readonly streamLimits?: ShareLimits;
    /** Maximum concurrent requests per merchant in this process. */
    readonly requestsMax: number;
    readonly bounds: {
      readonly keysMax: number;
      readonly membersMax: number;
      readonly openProposalsMax: number;
    };
    /** A monotonic clock in milliseconds. The default is the process's own clock. */
    readonly monotonicMs?: () => number;
  };

export type PeopleDeps = {
  /** Hash functions for emails. They find invited members who have not signed in yet. */
  readonly emailHashes: Members["emailHashes"];
  /** Verifies operators' access tokens. */
  readonly verify: Verify;
  readonly members: PortalAddress;
  readonly operators: PortalAddress;
  readonly forward: OperatorProxyDeps["forward"];
  /** When this signal aborts, long responses end. */
  readonly draining?: AbortSignal;
  /** Folder of the console's build. The folder may be missing. */
  readonly consoleFolder: string;
};

/** Builds the gateway without sockets. Returns its request listeners, RPC services and sweeps. */
export async function createGateway(given: GatewayDeps) {
  const deps = { ...given, db: deadlineDb(given.db) };
  const { db, sealer, clock, mode, peppers, log } = deps;
  const keys = openKeys(db);
  await assertPeppers({ keys, peppers, clock });
  const countOlder = countOlderPeppers({ keys, peppers, clock }, deps.metrics);
  const idempotency = openIdempotencyStore(db, { sealer, clock, place: deps.place, log });
  const lookups = createRateLimiter(deps.lookupsLimit);
  const cache = openKeyCache(keys, { ...deps, lookups });
  const unauthenticated = createRateLimiter(deps.unauthenticatedLimit);
  const members = openMembers(db, { sealer, emailHashes: deps.people.emailHashes });
  const changed = cache.drop;
  const revocations = createRevocations({ ...deps.clients, ...deps, keys, members, changed });
  const { carryOut } = revocations;
  const people = openPeople(deps, members, carryOut);
  const { keysMax, openProposalsMax: openMax } = deps.bounds;
  const issuing = { keys, sealer, peppers, mode, clock, keysMax, changed, carryOut };
  const approvals = openApprovals({ ...deps, openMax });
  const requests = openRequests(deps);
  const own = {
    ...guardedServices(deps, { approvals, issuing, people }),
    requestLogService: requests.service,
  };
  const clients = clientsOf(deps, own, { keys, members });
  const reference = referenceIn(mode);
  const app = {
    ...deps,
    clients,
    observe: observe({ ...deps, note: requests.note }),
    routes: routesIn(mode),
    decimals: decimalNames(reference),
    publicRoutes: [
      ...publicRoutes({ ...deps, reference }),
      ...linkRoutes({ ...deps.clients, log: deps.log }),
      ...people.memberRoutes(clients.team),
    ],
    members: people.memberSessions,
    keys: cache,
    matches: createKeyMatching(peppers),
    rehash: createRehash({ keys, peppers, changed, log: deps.log }),
    unauthenticated: createUnauthenticatedClients(unauthenticated, addressSet(deps.proxies)),
    rateLimiter: createRateLimiter(deps.rateLimit),
    merchantLimiter: createRateLimiter(merchantLimit(deps.rateLimit)),
    requests: createShares(requestLimits(deps.requestsMax)),
    files: createShares(fileLimits),
    uploads: createUploads(deps.uploadLimits),
    idempotency,
  };
  return {
    ...own,
    listener: createApp(app),
    /** Request listener for the operator API proxy. */
    operatorsListener: createApp({ ...app, routes: [], publicRoutes: people.operatorRoutes }),
    /** The `ApprovalService` for keys and teams, and its sweep. */
    approvals,
    /**
     * Frees the idempotency keys of runs that a previous gateway at this place started before the
     * given time.
     */
    freeEnded: (before: Date) => freeEnded(idempotency, before),
    /** Settles the idempotency keys whose end the database has not confirmed. */
    startSettling: idempotency.unsettled.start,
    /** Carries out unfinished revocations after a crash or outage. */
    sweepRevocations: revocations.sweep,
    flushRequests: requests.flush,
    /**
     * Deletes expired data and encrypted texts. One run deletes all of it, so no second run is due
     * at once.
     */
    sweep: async () => {
      await sweep(idempotency);
      await people.sweep();
      await requests.sweep();
      await forgetSecrets(keys, clock.now());
      await countOlder();
      return false;
    },
  };
}

/** Creates the clients of all services, and lookups of names and admins in the gateway's own data. */
function clientsOf(
  { clients, people, log }: GatewayDeps,
  own: Parameters<typeof ownClients>[0],
  stores: Parameters<typeof createActorNames>[0],
) {
  return {
    ...clients,
    ...ownClients(own, log),
    pages: pagesAt(people.members.origin),
    actorNames: createActorNames(stores),
    admins: createAdmins(stores.members),
  };
}

/**
 * Builds the services for keys and teams. Guards require a second person's approval for some RPCs.
 */
function guardedServices(
  deps: GatewayDeps,
  parts: {
    readonly approvals: ServiceApprovals;
    readonly issuing: Parameters<typeof keyService>[0];
    readonly people: ReturnType<typeof openPeople>;
  },
) {
  const { approvals, issuing, people } = parts;
  const bindings = openOperationBindings(deps);
  const keys = approvals.guard(KeyService, keyService(issuing), keyGuards(issuing));
  const { members } = people;
  const ofTeam = teamGuards({ members, mode: deps.mode });
  const team = approvals.guard(TeamService, people.team, ofTeam);
  return {
    keyService: bindOperations(KeyService, keys, bindings, {
      decisions: ["createKey", "rotateKey", "revokeKey"],
    }),
    teamService: bindOperations(TeamService, team, bindings, {
      decisions: ["addMember", "setMemberRole", "removeMember", "answerInvitation"],
    }),
  };
}

/**
 * A merchant's limit, as a multiple of a key's limit. All keys and members of the merchant share
 * it.
 */
const merchantShare = 5;

function merchantLimit({ perSecond, burst }: RateLimitOptions): RateLimitOptions {
  return { perSecond: merchantShare * perSecond, burst: merchantShare * burst };
}

function openRequests({ db, clock, metrics }: GatewayDeps) {
  const store = openRequestStore(db, clock);
  const log = createRequestLog({ store, metrics });
  const note: NoteRequest = ({ merchantId, actor }, request) =>
    log.note(merchantId, actor.kind, { at: clock.now(), caller_id: actor.id, ...request });
  return { service: requestLogService(store), note, flush: log.flush, sweep: store.sweep };
}

/** Returns the URLs of our pages. Without an origin, returns only their paths. */
function pagesAt(origin = ""): AppDeps["clients"]["pages"] {
  return { linkUrl: (token) => (token === "" ? "" : `${origin}/b/${token}`) };
}

/** Creates teams and sessions, and the console's routes for both ports. */
function openPeople(deps: GatewayDeps, members: Members, carryOut: CarryOut) {
  const { db, sealer, clock, mode, log, clients, people, bounds } = deps;
  const { streamLimits: ofStreams = streamLimits } = deps;
  const { verify, forward, consoleFolder, draining } = people;
  const sessions = openSessions(db, { sealer, clock });
  const settings = openListSettings(db, { sealer, clock });
  const memberCookie = cookieName("member", people.members.origin);
  const operatorCookie = cookieName("operator", people.operators.origin);
  const memberSessions = openMemberSessions({ sessions, members, cookieName: memberCookie });
  const { provider } = people.operators;
  const operatorSessions = openOperatorSessions({
    sessions,
    verify,
    provider,
    cookieName: operatorCookie,
  });
  const shared = { sessions, clock, mode, log };
  const merchantNames = createMerchantNames(clients.beneficiary);
  const ofMembers = { members, sessions: memberSessions, merchantNames, clock };
  const memberPortals = memberPortal(people.members, ofMembers);
  const names = openOperatorNames(db, { sealer, clock });
  const ofOperators = { sessions: operatorSessions, names, clock };
  const operatorPortals = operatorPortal(people.operators, ofOperators);
  const ofPort = (portal: Portal, cookieName: string) => ({
    ...shared,
    portal,
    cookies: cookiesOf({ portal, cookieName, sealer }),
  });
  const atPublicPort = ofPort(memberPortals, memberCookie);
  const atOperatorsPort = ofPort(operatorPortals, operatorCookie);
  const files = consoleFiles(consoleFolder);
  const feeds = createFeeds({ notifier: clients.notifier, log });
  const streams = createShares(ofStreams);
  return {
    members,
    memberSessions,
    team: teamService({
      members,
      clock,
      membersMax: bounds.membersMax,
      endSessions: async (memberId) => {
        await Promise.all([sessions.endOfMember(memberId), settings.endOfMember(memberId)]);
      },
      carryOut,
    }),
    sweep: sessions.sweep,
    memberRoutes: (team: Client<typeof TeamService>) => [
      ...sessionRoutes(atPublicPort),
      ...listSettingsRoutes({ ...atPublicPort, settings }),
      ...teamRoutes({ ...atPublicPort, members, memberSessions, merchantNames, team }),
      ...mailRoutes({ ...atPublicPort, memberSessions, notifier: clients.notifier }),
      eventRoute({ sessions: memberSessions, feeds, streams, draining }),
      ...files,
    ],
    operatorRoutes: [
      ...sessionRoutes(atOperatorsPort),
      ...listSettingsRoutes({ ...atOperatorsPort, settings }),
      ...operatorProxyRoutes({ sessions: operatorSessions, forward }),
      ...downloadRoutes({ sessions: operatorSessions, forward }),
      ...files,
    ],
  };
}

/** Creates clients that call the gateway's own RPCs within this process. */
function ownClients(
  services: {
    readonly keyService: ServiceImpl<typeof KeyService>;
    readonly teamService: ServiceImpl<typeof TeamService>;
    readonly requestLogService: ServiceImpl<typeof RequestLogService>;
  },
  log: Log,
) {
  const transport = createRouterTransport(
    (router) => {
      router.service(KeyService, services.keyService);
      router.service(TeamService, services.teamService);
      router.service(RequestLogService, services.requestLogService);
    },
    { router: { interceptors: [asGateway(log)] } },
  );
  return {
    keys: createClient(KeyService, transport),
    team: createClient(TeamService, transport),
    requests: createClient(RequestLogService, transport),
  };
}
