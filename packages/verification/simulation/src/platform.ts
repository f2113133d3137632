import type { Client } from "@connectrpc/connect";
import { silentLog } from "@disburse/chassis/log.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Broker } from "./broker.ts";
import type { Life } from "./life.ts";
import { Machine } from "./machine.ts";
import { Merchants } from "./merchants.ts";
import { beneficiaryStandIn, type SimulatedBeneficiary } from "./neighbours.ts";
import { Operators } from "./operators.ts";
import {
  type Breakage,
  bootNotifier,
  bootPayout,
  bootQuote,
  type Surroundings,
} from "./processes.ts";
import { createRailBook, type RailBook } from "./rail-book.ts";
import { RailCallbacks } from "./rail-callbacks.ts";
import { createRpcNetwork, type RpcNetwork } from "./rpc-network.ts";
import { SimulatedRail } from "./simulated-rail.ts";
import { createMemoryDatabase } from "./store/memory-database.ts";
import { Watch } from "./watch.ts";
import type { World } from "./world.ts";

/** The services with all that outlives them, and what is asked of them from outside. */
export type Platform = Omit<Surroundings, "network" | "breakage"> & {
  readonly machines: readonly Machine[];
  readonly book: RailBook;
  readonly callbacks: RailCallbacks;
  readonly operators: Operators;
  readonly beneficiaries: Map<string, SimulatedBeneficiary>;
  readonly rpc: Callers;
};

/** Clients of callers outside: the gateway's, the rail's. */
type Callers = {
  readonly payout: Client<typeof PayoutService>;
  readonly operations: Client<typeof PayoutOperationsService>;
  readonly quote: Client<typeof QuoteService>;
  readonly notifier: Client<typeof NotifierService>;
};

type Boot = (around: Surroundings, life: Life) => Promise<void>;

/** Which processes there are, each on a machine of its own. */
const processes: readonly (readonly [name: string, boot: Boot])[] = [
  ["payout-1", bootPayout],
  ["payout-2", bootPayout],
  ["quote", bootQuote],
  ["notifier-1", bootNotifier],
  ["notifier-2", bootNotifier],
];

/** Puts the processes on what they share; nothing is started yet. */
export function createPlatform(world: World, breakage: Breakage): Platform {
  const now = () => world.now();
  const beneficiaries = new Map<string, SimulatedBeneficiary>();
  const watch = new Watch(world, beneficiaries);
  const databases = {
    payout: createMemoryDatabase(now, watch.listen),
    quote: createMemoryDatabase(now, watch.listen),
    notifier: createMemoryDatabase(now, watch.listen),
  };
  const network = createRpcNetwork(world);
  const outside = { life: undefined, log: silentLog };
  network.serve(BeneficiaryService, beneficiaryStandIn(world, beneficiaries, breakage), outside);
  const rpc = callersOf(network);
  const callbacks = new RailCallbacks(world, rpc);
  const book = createRailBook(world);
  const rail = new SimulatedRail(world, book, (transfer) => callbacks.plan(transfer));
  const shared = {
    ...{ rail, watch, databases },
    broker: new Broker(world),
    merchants: new Merchants(world),
  };
  const around: Surroundings = { ...shared, network, breakage };
  const machines = processes.map(
    ([name, boot]) => new Machine(world, name, (life) => boot(around, life)),
  );
  const operators = new Operators(world, rpc.operations, book);
  return { ...shared, machines, book, callbacks, operators, beneficiaries, rpc };
}

function callersOf(network: RpcNetwork): Callers {
  return {
    payout: network.client(PayoutService, undefined),
    operations: network.client(PayoutOperationsService, undefined),
    quote: network.client(QuoteService, undefined),
    notifier: network.client(NotifierService, undefined),
  };
}
