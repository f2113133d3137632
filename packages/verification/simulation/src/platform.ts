import { silentLog } from "@disburse/chassis/log.ts";
import type { Principal, Role } from "@disburse/chassis/principal.ts";
import { ApprovalService } from "@disburse/contracts/disburse/approval/v1/approval_pb.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { migrations as notifierMigrations } from "@disburse/notifier/migrations.ts";
import { migrations as payoutMigrations } from "@disburse/payout/migrations.ts";
import { migrations as quoteMigrations } from "@disburse/quote/migrations.ts";
import { WriteObserver } from "./checks/write-observer.ts";
import { beneficiaryStub, type SimulatedBeneficiary } from "./network/beneficiary-stub.ts";
import { Broker } from "./network/broker.ts";
import { createMerchantEndpoints } from "./network/merchant-endpoints.ts";
import { createRpcNetwork, type RpcNetwork } from "./network/rpc-network.ts";
import {
  bootNotifier,
  bootPayout,
  bootQuote,
  type InjectedDefects,
  type SharedParts,
} from "./processes.ts";
import { RailCallbacks } from "./rail/callbacks.ts";
import { SimulatedRail } from "./rail/rail.ts";
import { createRailState } from "./rail/state.ts";
import { Host, type ProcessInstance } from "./scheduler/host.ts";
import type { Scheduler } from "./scheduler/scheduler.ts";
import { createMemoryDatabase, type MemoryDatabase } from "./store/memory-database.ts";
import { Approvers } from "./workload/approvers.ts";
import { Operators } from "./workload/operators.ts";
import { Treasury } from "./workload/treasury.ts";

export type Platform = ReturnType<typeof createPlatform>;

type Boot = (shared: SharedParts, instance: ProcessInstance) => Promise<void>;

/** The processes of the platform. Each runs on a separate machine. */
const processes: readonly (readonly [name: string, boot: Boot])[] = [
  ["payout-1", bootPayout],
  ["payout-2", bootPayout],
  ["quote", bootQuote],
  ["notifier-1", bootNotifier],
  ["notifier-2", bootNotifier],
];

export type Assembly = {
  /** Selects the processes. All by default. */
  readonly runs: (name: string) => boolean;
  /** Wraps the databases and the network, so that a meter can count commands and calls. */
  readonly database: (service: string, database: MemoryDatabase) => MemoryDatabase;
  readonly network: (network: RpcNetwork) => RpcNetwork;
};

const whole: Assembly = {
  runs: () => true,
  database: (_service, database) => database,
  network: (network) => network,
};

/** Connects processes to shared parts without starting them. */
export function createPlatform(
  scheduler: Scheduler,
  defects: InjectedDefects,
  assembly: Assembly = whole,
) {
  const now = () => scheduler.now();
  const beneficiaries = new Map<string, SimulatedBeneficiary>();
  const railState = createRailState(scheduler);
  const observer = new WriteObserver(scheduler, beneficiaries, railState);
  const database = (service: string) =>
    assembly.database(service, createMemoryDatabase(now, observer.listen, defects.guarantees));
  const databases = {
    payout: database("payout"),
    quote: database("quote"),
    notifier: database("notifier"),
  };
  const network = assembly.network(createRpcNetwork(scheduler));
  const outside = { instance: undefined, log: silentLog };
  network.serve(BeneficiaryService, beneficiaryStub(scheduler, beneficiaries, defects), outside);
  const rpc = callersOf(network, service("gateway"));
  const callbacks = new RailCallbacks(scheduler, callersOf(network, service("rail")));
  const rail = new SimulatedRail(scheduler, railState, (transfer) => callbacks.plan(transfer));
  const shared: SharedParts = {
    rail,
    observer,
    databases,
    network,
    defects,
    broker: new Broker(scheduler),
    merchants: createMerchantEndpoints(scheduler),
  };
  const hosts = processes.flatMap(([name, boot]) =>
    assembly.runs(name) ? new Host(scheduler, name, (instance) => boot(shared, instance)) : [],
  );
  const operator = (id: string) => network.client(PayoutOperatorService, person(id));
  const people = { ann: operator("ann"), bob: operator("bob"), eve: operator("eve") };
  const approver = (id: string) => network.client(ApprovalService, person(id, "treasury_approver"));
  const operators = new Operators(
    scheduler,
    {
      proposer: people.ann,
      approvers: {
        ann: approver("ann"),
        bob: approver("bob"),
      },
    },
    railState,
  );
  const treasury = new Treasury(scheduler, people.eve, railState);
  const approvers = new Approvers(scheduler, rpc);
  return {
    ...shared,
    hosts,
    railState,
    callbacks,
    beneficiaries,
    rpc,
    people,
    operators,
    treasury,
    approvers,
  };
}

/** Migrates the databases, which every service requires. */
export async function migratePlatform({ databases }: Platform): Promise<void> {
  const jobs = [
    [databases.payout, payoutMigrations],
    [databases.quote, quoteMigrations],
    [databases.notifier, notifierMigrations],
  ] as const;
  for (const [database, migrations] of jobs) {
    const { db } = database.connect(database.direct);
    for (const { up } of migrations) await up(db);
  }
}

function callersOf(network: RpcNetwork, by: Principal) {
  return {
    payout: network.client(PayoutService, by),
    orders: network.client(PayoutOrderService, by),
    operations: network.client(PayoutOperatorService, by),
    quote: network.client(QuoteService, by),
    notifier: network.client(NotifierService, by),
  };
}

const service = (name: string): Principal => ({ kind: "service", name });
const person = (id: string, ...roles: Role[]): Principal => ({
  kind: "person",
  id,
  roles: new Set(roles),
});
