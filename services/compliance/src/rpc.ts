import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/mutation.ts";
import { writeCursor } from "@disburse/chassis/page-cursor.ts";
import { refusalError } from "@disburse/chassis/rpc-refusal.ts";
import {
  type ComplianceService,
  GetScreeningResponseSchema,
  ListScreeningsResponseSchema,
  ScreenPartyResponseSchema,
  ScreenWalletResponseSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import {
  type Finding,
  type Screening,
  type ScreeningKind,
  type Subject,
} from "./domain/screening.ts";
import { accepted, refusals } from "./refusals.ts";
import { readListRequest, readPartyRequest, readWalletRequest } from "./screening-request.ts";
import type { IndexWatch, ScreeningIndex } from "./screening-index.ts";
import type { ScreeningStore } from "./store.ts";
import { screeningMessage } from "./wire.ts";

export type ScreeningDeps = {
  readonly store: ScreeningStore;
  readonly watch: IndexWatch;
  readonly clock: Clock;
  /** Told of each new screening. */
  readonly screened: (kind: ScreeningKind, verdict: string) => void;
};

type ScreeningMethod = "screenWallet" | "screenParty" | "getScreening" | "listScreenings";

/** The RPCs that screen, and that read screenings. */
export function screeningRpc(
  deps: ScreeningDeps,
): Pick<ServiceImpl<typeof ComplianceService>, ScreeningMethod> {
  const { store } = deps;
  return {
    screenWallet: async (request) => {
      const { subject, families, address } = accepted(readWalletRequest(request));
      const screening = await screen(deps, request.mutation, {
        kind: "wallet",
        subject,
        request: { families, address },
        find: (index) => index.screen({ parties: [], wallets: [{ families, address }] }),
      });
      return create(ScreenWalletResponseSchema, { screening: screeningMessage(screening) });
    },

    screenParty: async (request) => {
      const { subject, parties } = accepted(readPartyRequest(request));
      const screening = await screen(deps, request.mutation, {
        kind: "party",
        subject,
        request: { parties },
        find: (index) => index.screen({ parties, wallets: [] }),
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
  };
}

type Asked = {
  readonly kind: ScreeningKind;
  readonly subject: Subject;
  /** What was asked, to be kept sealed and compared with a repeat. */
  readonly request: object;
  readonly find: (index: ScreeningIndex) => Promise<Finding>;
};

/** Screens once for each operation: a repeat gets the first result, whatever the lists say now. */
async function screen(
  deps: ScreeningDeps,
  mutation: Mutation | undefined,
  asked: Asked,
): Promise<Screening> {
  const { operationId, actor } = readMutation(mutation);
  const request = JSON.stringify({ subject: asked.subject, ...asked.request });
  const first = await deps.store.findOperation(asked.kind, operationId);
  if (first !== undefined) return sameAsked(first, request);
  const index = accepted(deps.watch.current() ?? refused("NO_LIST_IN_FORCE"));
  const createdAt = deps.clock.now();
  const screening: Screening = {
    ...(await asked.find(index)),
    id: newId("screening", createdAt),
    kind: asked.kind,
    subject: asked.subject,
    lists: index.lists,
    configurationVersion: index.configurationVersion,
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
