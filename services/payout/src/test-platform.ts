import { createClient, createRouterTransport } from "@connectrpc/connect";
import { openBankStore } from "@disburse/bank-rail/documents.ts";
import { guardedBankFiles } from "@disburse/bank-rail/rpc.ts";
import { openApprovals } from "@disburse/chassis/approvals/open.ts";
import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import { type BusMessage, createMemoryBus } from "@disburse/chassis/bus/bus.ts";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { generateServiceKey, readServiceKey } from "@disburse/chassis/identity/keys.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import type { PublicRefusal } from "@disburse/chassis/rpc/refusal.ts";
import type { Turns } from "@disburse/chassis/turns.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import {
  BeneficiaryService,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { PayoutSandboxService } from "@disburse/contracts/disburse/payout/v1/payout_sandbox_pb.ts";
import { StatementService } from "@disburse/contracts/disburse/payout/v1/statements_pb.ts";
import { QuoteService, QuoteState } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { quietMs } from "@disburse/ledger/writer.ts";
import type { Rail, RailReply } from "@disburse/rail/rail.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { createManualLoops } from "@disburse/testkit/loops.ts";
import { migrations } from "./migrations.ts";
import { type Payouts, toPayout } from "./payouts/document.ts";
import { historyOf } from "./payouts/history.ts";
import { createLeases, type Leases } from "./payouts/leases.ts";
import type { RailDirectory } from "./rails/directory.ts";
import { createSandboxRail } from "./rails/sandbox/rail.ts";
import { openSandboxScenarios } from "./rails/sandbox/scenario-store.ts";
import { openRailStates } from "./rails/states.ts";
import { statementsRpc } from "./statements/rpc.ts";
import { type StandInQuote, standIns } from "./test-neighbours.ts";
import { startPayoutService } from "./wiring.ts";

/** The `place` of the process that the platform's worker runs as. */
export const place = "first:8080";

export type TestPlatform = Awaited<ReturnType<typeof startTestPlatform>>;

/**
 * Starts the payout service on a real database, with fake neighbours. A test runs the background
 * work and sets the rail's clock.
 */
export async function startTestPlatform() {
  const database = await migratedDatabase("payout", migrations);
  const quotes = new Map<string, StandInQuote>();
  /** Failures that a test injects. Each fake calls its function here before it responds. */
  const faults = {
    claim: (): void => undefined,
    afterClaim: (): void => undefined,
    callback: (): void => undefined,
  };
  const screening = ScreeningStatus.CLEARED as ScreeningStatus;
  const away = { isBeneficiaryGone: false, isRegistryAway: false };
  const quoting: { refusal?: PublicRefusal; cost?: string; expiresAt?: Date } = {};
  const beneficiarySince = new Date(0);
  const world = {
    screening,
    ...away,
    quoting,
    beneficiarySince,
    offsetMs: 0,
    worth: {},
    quoteOffsetMs: 0,
  };
  const clock = { now: () => new Date(Date.now() + world.offsetMs) };
  const neighbours = standIns(quotes, faults, world);
  const scenarios = await openSandboxScenarios(database, clock);
  const behaviour = { settleMs: 1_000, delay: "fixed", seed: 0, shares: {} } as const;
  const callbackSecret = "secret of the sandbox rail";
  const sandboxRail = createSandboxRail({
    ...{ database, clock, behaviour, callbackSecret, scenarios },
    receive: async (message) => {
      faults.callback();
      const { operationId } = operation();
      const actor = { kind: "service", id: "sandbox" } as const;
      await service.receive({ rail: "sandbox", ...message }, { actor, operationId });
    },
  });
  const rails = { current: sandboxRail as Rail | undefined };
  const loops = createManualLoops();
  const proposals = openApprovals({ db: database.db, clock, log: silentLog, openMax: 1_000 });
  const bus = createMemoryBus();
  // Events of accounts are only published if there is a subscriber.
  const accountEvents: Uint8Array[] = [];
  const keys = ["opt_in.account_credited", "opt_in.account_balance_low"];
  await bus.subscribe({
    queue: "accounts",
    events: [{ keys, publishers: ["payout"] }],
    handle: async (events) => {
      accountEvents.push(...events.map(({ body }) => body));
      return events.map(() => "stored");
    },
  });
  const service = await startPayoutService({
    database,
    bus,
    quote: createClient(QuoteService, neighbours),
    beneficiary: createClient(BeneficiaryService, neighbours),
    rails: directoryOf(rails),
    states: openRailStates(database, clock),
    sandbox: { rail: sandboxRail, scenarios },
    stuckAfterMs: 86_400_000,
    railWorkers: 1,
    mode: "sandbox",
    place,
    clock,
    log: silentLog,
    railRpc: guardedBankFiles({
      bank: openBankStore(database),
      sealer: createSealer(`k1:${Buffer.alloc(32, 7).toString("base64")}`),
      audit: openAuditStore<string>(database),
      clock,
    }),
    proposals,
    manual: loops,
  });
  const { parts } = service;
  const { ledger, payouts, outbox } = parts;
  const { privateText, publicJwk } = generateServiceKey("payout");
  const receiptKey = readServiceKey(privateText);
  const rendered: string[] = [];
  const renders: Turns = {
    take: async (merchantId, work) => {
      rendered.push(merchantId);
      return work();
    },
  };
  const transport = createRouterTransport((router) => {
    router.service(PayoutService, service.rpc);
    router.service(PayoutOrderService, service.orders);
    router.service(PayoutOperatorService, service.operations);
    router.service(ApprovalService, proposals.rpc);
    router.service(PayoutSandboxService, service.sandbox ?? {});
    const ofStatements = { ledger, payouts, clock, receiptKey: () => receiptKey, renders };
    router.service(StatementService, statementsRpc(ofStatements));
  }, namedCallers);
  let operations = 0;
  const operation = () => ({ operationId: `op-${++operations}` });
  const rpc = createClient(PayoutService, transport);
  const operationsClient = createClient(PayoutOperatorService, transport);
  /** Runs the worker until nothing is due at the clock's current time. */
  const work = () => loops.run("rail-worker");
  const sweep = () => loops.run("account-sweep");
  const quote = (accountId: string, change: Partial<StandInQuote> = {}) => {
    const id = newId("quote");
    quotes.set(id, {
      merchantId: "mer_1",
      accountId,
      amount: "10.00",
      corridorOpen: true,
      expiresAt: new Date(Date.now() + 300_000),
      state: QuoteState.OPEN,
      ...change,
    });
    return id;
  };
  return {
    // The platform's stores. The members below are views and helpers for tests.
    ...parts,
    /** The published events of accounts: `OptInEvent`. */
    accountEvents,
    quotes,
    faults,
    world,
    rails,
    sandboxRail,
    callForWork: service.callForWork,
    parts,
    loops,
    /** The service's outbox, which marks published events at once. */
    outbox: {
      due: outbox.due,
      published: async (messages: readonly BusMessage[]): Promise<void> => {
        await outbox.published(messages);
        await outbox.settle();
      },
    },
    /** Returns a payout with its complete history. */
    history: async (id: string) => {
      const found = await payouts.findOne({ _id: id });
      return found === null ? undefined : { payout: toPayout(found), lines: historyOf(found) };
    },
    operation,
    rpc,
    operatorRpc: operationsClient,
    proposalsRpc: createClient(ApprovalService, transport),
    /** Runs an approved proposal, or runs it again, as after a crash during its run. */
    runLate: async (proposalId: string) => {
      const decided = { kind: "operator", by: "bob", operation_id: "late", at: clock.now() };
      const isDue = { state: "approved", due_at: new Date(0), decided };
      await database.db
        .collection<{ _id: string }>("proposals")
        .updateOne({ _id: proposalId }, { $set: isDue, $unset: { leased_until: "" } });
      await proposals.sweep();
    },
    sandboxRpc: createClient(PayoutSandboxService, transport),
    ordersRpc: createClient(PayoutOrderService, transport),
    statementsRpc: createClient(StatementService, transport),
    /** The merchants whose PDFs were rendered, in this order. */
    rendered,
    receiptJwk: publicJwk,
    callbackSecret,
    sweep,
    /** Tidies accounts as if they had had no movement for a while. */
    tidy: async () => {
      world.offsetMs += quietMs + 1_000;
      await sweep();
      // The sweep runs twice, because the first run publishes the credits.
      await sweep();
      world.offsetMs -= quietMs + 1_000;
    },
    sweepReservations: () => loops.run("velocity-sweep"),
    work,
    /** Returns true if the workers were notified since the last call of this function. */
    isWoken: () => loops.isNotified("rail-worker"),
    /** Advances the clock, does all due work and sends the rail's callbacks. */
    after: async (ms: number) => {
      world.offsetMs += ms;
      await work();
      while (await sandboxRail.sendDue());
      await work();
    },
    /** Executes a payout of 10.00 from an account of `mer_1`. */
    execute: async (accountId: string, referenceId: string) => {
      const request = { merchantId: "mer_1", quoteId: quote(accountId), referenceId };
      return (await rpc.executePayout({ mutation: operation(), ...request })).payoutId;
    },
    /** Books money of the platform that arrived at the rail. */
    fundRail: async (rail: string, amount: string, currencyCode = "USD") => {
      const by = { id: "treasurer", kind: Actor_Kind.OPERATOR };
      const mutation = { operationId: operation().operationId, actor: by };
      const wire = { rail, currencyCode, amount, note: "wire" };
      await operationsClient.fundRailAccount({ mutation, ...wire });
    },
    fundedAccount: async (merchantId: string, amount: string, currencyCode = "USD") => {
      const opened = { mutation: operation(), merchantId, currencyCode };
      const accountId = (await rpc.openAccount(opened)).account?.id ?? "";
      await rpc.creditAccount({ mutation: operation(), merchantId, accountId, amount });
      return accountId;
    },
    quote,
    stop: async () => {
      await database.db.dropDatabase();
      await database.close();
    },
  };
}

/** Creates leases for a process that keeps no payouts between two steps. */
export function leasesOf(payouts: Payouts, clock: Clock): Leases {
  return createLeases(payouts, clock, place, { heldMax: 0, pollEveryMs: 0, work: createWake() });
}

/** Creates a test rail that accepts everything, unless `own` overrides a member. */
export function testRail(own: Partial<Rail>): Rail {
  const accept = async (): Promise<RailReply> => ({ status: { kind: "accepted" } });
  return {
    name: "scripted",
    capabilities: { currencies: [], transferMethods: [], networks: [], limits: {} },
    available: async () => true,
    submit: accept,
    query: accept,
    readCallback: () => "unreadable",
    ...own,
  };
}

/** Creates a directory with at most one rail, `rails.current`. */
function directoryOf(rails: { current: Rail | undefined }): RailDirectory {
  return {
    get all() {
      return rails.current === undefined ? [] : [rails.current];
    },
    choose: async () => rails.current ?? "DOWN",
    pays: () => rails.current !== undefined,
    railOf: () => rails.current,
    shortageOf: async () => undefined,
    unavailability: async () => (rails.current === undefined ? "DOWN" : undefined),
    withdraw: async (_name, key) => (await rails.current?.withdraw?.(key)) ?? true,
    named: (name) => (rails.current?.name === name ? rails.current : undefined),
  };
}
