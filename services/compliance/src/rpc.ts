import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { Log } from "@disburse/chassis/log.ts";
import { readMutation } from "@disburse/chassis/mutation.ts";
import { writeCursor } from "@disburse/chassis/page-cursor.ts";
import { refusalError } from "@disburse/chassis/rpc-refusal.ts";
import {
  type ComplianceService,
  GetScreeningResponseSchema,
  type ImportListRequest,
  type ImportListRequest_Header,
  ImportListResponseSchema,
  ListListsResponseSchema,
  ListScreeningsResponseSchema,
  ScreenPartyResponseSchema,
  ScreenWalletResponseSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { matcherConfig } from "./domain/matcher-config.ts";
import {
  type Finding,
  type ListsInForce,
  type Screening,
  type ScreeningKind,
  type Subject,
  screenParties,
  screenWallet,
} from "./domain/screening.ts";
import { importList } from "./list-import.ts";
import type { ListStore } from "./list-store.ts";
import type { ListsWatch } from "./lists-in-force.ts";
import { type ComplianceRefusal, refusals } from "./refusals.ts";
import {
  readListName,
  readListRequest,
  readPartyRequest,
  readWalletRequest,
} from "./screening-request.ts";
import type { ScreeningStore } from "./store.ts";
import { listVersionMessage, screeningMessage } from "./wire.ts";

export type ComplianceDeps = {
  readonly store: ScreeningStore;
  readonly lists: ListStore;
  readonly watch: ListsWatch;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of each new screening. */
  readonly screened: (kind: ScreeningKind, verdict: string) => void;
};

/** The answer of a rule, or its refusal thrown as the RPC's error. */
function accepted<T>(answer: T): Exclude<T, Refused<string>> {
  if (isRefused(answer)) throw refusalError(refusals, answer as Refused<ComplianceRefusal>);
  return answer as Exclude<T, Refused<string>>;
}

/** The RPCs of the compliance service. */
export function complianceRpc(deps: ComplianceDeps): ServiceImpl<typeof ComplianceService> {
  const { store, lists, watch, clock, log } = deps;
  return {
    screenWallet: async (request) => {
      const { subject, families, address } = accepted(readWalletRequest(request));
      const screening = await screen(deps, request.mutation, {
        kind: "wallet",
        subject,
        request: { families, address },
        find: (inForce) => screenWallet(families, address, inForce),
      });
      return create(ScreenWalletResponseSchema, { screening: screeningMessage(screening) });
    },

    screenParty: async (request) => {
      const { subject, parties } = accepted(readPartyRequest(request));
      const screening = await screen(deps, request.mutation, {
        kind: "party",
        subject,
        request: { parties },
        find: (inForce) => screenParties(parties, inForce),
      });
      return create(ScreenPartyResponseSchema, { screening: screeningMessage(screening) });
    },

    getScreening: async ({ screeningId }) => {
      const screening = accepted((await store.get(screeningId)) ?? refused("RECORD_NOT_FOUND"));
      return create(GetScreeningResponseSchema, { screening: screeningMessage(screening) });
    },

    listScreenings: async (request) => {
      const { filter, limit } = accepted(readListRequest(request));
      const found = await store.list(filter, limit + 1);
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return create(ListScreeningsResponseSchema, {
        screenings: page.map(screeningMessage),
        nextCursor: last === undefined ? "" : writeCursor({ at: last.createdAt, id: last.id }),
      });
    },

    importList: async (requests) => {
      const { header, pieces } = await openStream(requests);
      const { operationId, actor } = readMutation(header.mutation);
      const { list, version } = accepted(readListName(header));
      const request = { list, version, operationId, actor };
      const imported = accepted(await importList({ lists, clock }, request, pieces));
      log.info({ list, version, entries: imported.entries }, "list imported");
      // The list is in force whatever happens here; the watch reads it again soon.
      await watch.refresh().catch((error: unknown) => {
        log.error({ err: error, list }, "imported list could not be read yet");
      });
      return create(ImportListResponseSchema, { version: listVersionMessage(imported) });
    },

    listLists: async () => {
      const versions = await lists.listVersions();
      return create(ListListsResponseSchema, { lists: versions.map(listVersionMessage) });
    },
  };
}

type Asked = {
  readonly kind: ScreeningKind;
  readonly subject: Subject;
  /** What was asked, to be kept sealed and compared with a repeat. */
  readonly request: object;
  readonly find: (inForce: ListsInForce) => Finding;
};

/** Screens once for each operation: a repeat gets the first result, whatever the lists say now. */
async function screen(
  deps: ComplianceDeps,
  mutation: Mutation | undefined,
  asked: Asked,
): Promise<Screening> {
  const { operationId, actor } = readMutation(mutation);
  const request = JSON.stringify({ subject: asked.subject, ...asked.request });
  const first = await deps.store.findOperation(asked.kind, operationId);
  if (first !== undefined) return sameAsked(first, request);
  const inForce = accepted(deps.watch.current() ?? refused("NO_LIST_IN_FORCE"));
  const createdAt = deps.clock.now();
  const screening: Screening = {
    ...asked.find(inForce),
    id: newId("screening", createdAt),
    kind: asked.kind,
    subject: asked.subject,
    lists: inForce.lists,
    configurationVersion: matcherConfig.version,
    createdAt,
  };
  const stored = await deps.store.save({ screening, operationId, actor, request });
  if (stored.screening.id === screening.id) deps.screened(asked.kind, screening.verdict);
  return sameAsked(stored, request);
}

/** One operation is one intent: another party must never get the first one's verdict. */
function sameAsked(
  stored: { readonly screening: Screening; readonly request: string },
  request: string,
): Screening {
  if (stored.request === request) return stored.screening;
  const detail = "mutation.operation_id: was used for another screening";
  throw refusalError(refusals, refused("INVALID_REQUEST", detail));
}

/** The header that an import begins with, and the pieces of its lines. */
async function openStream(
  requests: AsyncIterable<ImportListRequest>,
): Promise<{ header: ImportListRequest_Header; pieces: AsyncIterable<Uint8Array> }> {
  const messages = requests[Symbol.asyncIterator]();
  const first = await messages.next();
  if (first.done === true || first.value.part.case !== "header") {
    throw new ConnectError("the header must come first", Code.InvalidArgument);
  }
  return { header: first.value.part.value, pieces: linesOf(messages) };
}

async function* linesOf(messages: AsyncIterator<ImportListRequest>): AsyncIterable<Uint8Array> {
  for (let next = await messages.next(); next.done !== true; next = await messages.next()) {
    if (next.value.part.case !== "lines") {
      throw new ConnectError("after the header only lines may come", Code.InvalidArgument);
    }
    yield next.value.part.value;
  }
}
