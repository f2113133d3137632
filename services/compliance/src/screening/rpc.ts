import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { callContext } from "@disburse/chassis/call-context.ts";
import { cutPage, writeCursor } from "@disburse/chassis/paging/page.ts";
import { type Change, readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { refusalError } from "@disburse/chassis/rpc/refusal.ts";
import {
  type ComplianceService,
  GetScreeningResponseSchema,
  ListScreeningsResponseSchema,
  ScreenPartyResponseSchema,
  ScreenWalletResponseSchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { otherContent, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { worstVerdict } from "@disburse/name-matcher/verdict.ts";
import { orThrow, refusals } from "../refusals.ts";
import { assessWallet, type WalletProvider } from "../wallets/provider.ts";
import type { WalletAssessment } from "../wallets/rules/assessment.ts";
import {
  type RequestedWallet,
  readListRequest,
  readPartyRequest,
  readWalletRequest,
  type ScreeningRequest,
  screeningList,
} from "./request.ts";
import { undecided } from "./rules/decided-finding.ts";
import type { Finding } from "./rules/hit.ts";
import type { Screening, ScreeningKind } from "./rules/screening.ts";
import type { IndexWatch } from "./screening-index.ts";
import type { ScreeningStore, StoredScreening } from "./store.ts";
import { fullScreeningMessage, screeningMessage } from "./wire.ts";

export type ScreeningDeps = {
  readonly store: ScreeningStore;
  readonly watch: IndexWatch;
  readonly clock: Clock;
  readonly screened: (screening: Screening) => void;
  /** Assesses wallets; `undefined` if no provider is configured. */
  readonly provider: WalletProvider | undefined;
  /** Screens a subject once for each operation, and monitors it from then on. */
  readonly screenSubject: (
    requested: ScreeningRequest,
    by: Change,
    signal?: AbortSignal,
  ) => Promise<StoredScreening>;
};

export function screeningRpc(deps: ScreeningDeps) {
  const { store } = deps;
  return {
    screenWallet: async (request, { signal }) => {
      const requested = orThrow(readWalletRequest(request));
      const of = { kind: "wallet", requested, signal } as const;
      const screening = await screenOnce(deps, request.mutation, of);
      return create(ScreenWalletResponseSchema, { screening: screeningMessage(screening) });
    },

    screenParty: async (request, { signal }) => {
      const requested = orThrow(readPartyRequest(request));
      const { recordId } = requested.subject;
      // Only a service may screen a record. A person could otherwise replace the compared data of a
      // stopped record, and so clear it.
      if (recordId !== "" && callContext()?.principal?.kind === "person") orThrow(notAnOwner);
      const screening =
        recordId === ""
          ? await screenOnce(deps, request.mutation, { kind: "party", requested, signal })
          : sameRequest(
              await deps.screenSubject(requested, readMutation(request.mutation), signal),
              requested,
            );
      return create(ScreenPartyResponseSchema, { screening: screeningMessage(screening) });
    },

    getScreening: async ({ screeningId }) => {
      const stored = orThrow((await store.get(screeningId)) ?? refused("RECORD_NOT_FOUND"));
      return create(GetScreeningResponseSchema, { screening: fullScreeningMessage(stored) });
    },

    listScreenings: async (request) => {
      const { filter, limit } = orThrow(readListRequest(request));
      const found = await store.list(filter, limit + 1);
      const { shown, nextCursor } = cutPage(found, limit, ({ createdAt: at, id }) =>
        writeCursor(screeningList, { at, id }),
      );
      const screenings = shown.map(screeningMessage);
      return create(ListScreeningsResponseSchema, { screenings, nextCursor });
    },
  } satisfies Partial<ServiceImpl<typeof ComplianceService>>;
}

const notAnOwner = refused(
  "INVALID_REQUEST",
  "subject.record_id: must be empty if a person calls: only services screen records",
);

/** A request and its waiting caller. */
type Requested = {
  readonly kind: ScreeningKind;
  readonly requested: ScreeningRequest;
  readonly signal: AbortSignal;
};

/**
 * Screens once for each operation, without monitoring. A repeat returns the first result, even if
 * the lists have changed.
 */
async function screenOnce(
  deps: ScreeningDeps,
  mutation: Mutation | undefined,
  { kind, requested, signal }: Requested,
): Promise<Screening> {
  const { operationId, actor } = readMutation(mutation);
  const { subject, parties, wallets, banks } = requested;
  const first = await deps.store.findOperation(kind, operationId);
  if (first !== undefined) return sameRequest(first, requested);
  const index = orThrow(deps.watch.current() ?? refused("NO_LIST_IN_FORCE"));
  const { merchantId } = subject;
  const finding = await index.screen({ parties, wallets, banks }, { merchantId, signal });
  const assessment = kind === "wallet" ? await assessed(deps, finding, wallets) : undefined;
  const createdAt = deps.clock.now();
  const screening: Screening = {
    ...undecided(finding),
    ...(assessment && {
      verdict: worstVerdict([finding.verdict, assessment.verdict]),
      assessment,
    }),
    id: newId("screening", createdAt),
    kind,
    trigger: "request",
    subject,
    lists: index.lists,
    configurationVersion: index.configurationVersion,
    createdAt,
  };
  const record = { screening, operationId, actor, request: JSON.stringify(requested) };
  const stored = await deps.store.save(record);
  if (stored.screening.id === screening.id) deps.screened(screening);
  return sameRequest(stored, requested);
}

/**
 * Asks the provider to assess a wallet. A listed wallet is blocked already and needs no assessment.
 */
async function assessed(
  { provider }: ScreeningDeps,
  { verdict }: Finding,
  [wallet]: readonly RequestedWallet[],
): Promise<WalletAssessment | undefined> {
  if (provider === undefined || wallet === undefined || verdict === "block") return undefined;
  return orThrow(await assessWallet(provider, wallet));
}

/**
 * Refuses an operation id that was used for different data. Otherwise one party could get the
 * verdict of another.
 */
function sameRequest(stored: StoredScreening, requested: ScreeningRequest): Screening {
  if (stored.request === JSON.stringify(requested)) return stored.screening;
  throw refusalError(refusals, otherContent);
}
