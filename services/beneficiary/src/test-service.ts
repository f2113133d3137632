import { randomBytes } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Client,
  Code,
  ConnectError,
  createClient,
  createRouterTransport,
} from "@connectrpc/connect";
import { createKeyedHashes, createSealer, type Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { contentKeyOf, contentPurpose } from "@disburse/chassis/mutations/content.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import {
  ComplianceService,
  type Party,
  Verdict,
  type Wallet,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { networks } from "@disburse/forms/values/networks.ts";
import { newId } from "@disburse/kernel/id.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { destinationPurpose } from "./beneficiaries/destination.ts";
import { type Hashes, searchPurpose } from "./beneficiaries/search.ts";
import { migrations } from "./migrations.ts";
import { beneficiaryRpc, type ServiceDeps } from "./rpc.ts";
import type { ComplianceClient } from "./screening/compliance.ts";
import { openStores } from "./wiring.ts";

/** Sweep interval in tests. The test clock is simulated, so waiting takes no time. */
export const sweepEveryMs = 1_000;

/** A clock that moves only on request. */
export type TestClock = { now(): Date; moveMs(by: number): void };

export function createTestClock(start = "2026-11-20T11:26:00.000Z"): TestClock {
  let timeMs = Date.parse(start);
  return {
    now: () => new Date(timeMs),
    moveMs: (by) => {
      timeMs += by;
    },
  };
}

/** A scripted compliance service. A repeated operation returns its first response. */
export type FakeCompliance = ComplianceClient & {
  /** Errors to throw instead of a response. */
  down: ConnectError | Error | undefined;
  wallet: Verdict;
  party: Verdict;
  /** Becomes available, clears everything and forgets its calls. */
  reset(): void;
  readonly wallets: { address: string; networks: string[]; merchantId: string }[];
  readonly parties: {
    recordId: string;
    operationId: string;
    parties: Party[];
    wallets: Wallet[];
  }[];
};

export const unavailable = new ConnectError("the service does not respond", Code.Unavailable);

export function createFakeCompliance(clock: TestClock): FakeCompliance {
  const first = new Map<string, { id: string; verdict: Verdict; at: Date }>();
  const screen = (operationId: string, verdict: Verdict) => {
    if (fake.down !== undefined) throw fake.down;
    const at = clock.now();
    const known = first.get(operationId) ?? { id: newId("screening", at), verdict, at };
    first.set(operationId, known);
    const { id } = known;
    return { screening: { id, verdict: known.verdict, createdAt: timestampFromDate(known.at) } };
  };
  const transport = createRouterTransport((router) =>
    router.service(ComplianceService, {
      screenWallet: ({ address, networks: on, subject, mutation }) => {
        fake.wallets.push({ address, networks: on, merchantId: subject?.merchantId ?? "" });
        return screen(mutation?.operationId ?? "", fake.wallet);
      },
      screenParty: ({ parties, wallets, subject, mutation }) => {
        const operationId = mutation?.operationId ?? "";
        fake.parties.push({ recordId: subject?.recordId ?? "", operationId, parties, wallets });
        return screen(operationId, fake.party);
      },
    }),
  );
  const { screenWallet, screenParty } = createClient(ComplianceService, transport);
  const fake: FakeCompliance = {
    screenWallet,
    screenParty,
    down: undefined,
    wallet: Verdict.CLEAR,
    party: Verdict.CLEAR,
    wallets: [],
    parties: [],
    reset: () => {
      fake.down = undefined;
      fake.wallet = Verdict.CLEAR;
      fake.party = Verdict.CLEAR;
      fake.wallets.length = 0;
      fake.parties.length = 0;
    },
  };
  return fake;
}

/** The service with its own database, a fake compliance service and a simulated clock. */
export type TestService = {
  readonly rpc: Client<typeof BeneficiaryService>;
  readonly deps: ServiceDeps;
  readonly clock: TestClock;
  readonly compliance: FakeCompliance;
  readonly database: Database;
  stop(): Promise<void>;
};

/** In the format of `ENCRYPTION_KEYS`. */
export const testKeys = `k1:${randomBytes(32).toString("base64")}`;

/** Keyed hashes of a ring in the format of `ENCRYPTION_KEYS`. */
export const hashesOf = (ring = testKeys): Hashes => ({
  terms: createKeyedHashes(ring, searchPurpose),
  destinations: createKeyedHashes(ring, destinationPurpose),
});

const contentHashes = createKeyedHashes(testKeys, contentPurpose);

/** Starts the service on its own database, or on an existing one. */
export async function startTestService(
  beside?: TestService,
  sealer: Sealer = createSealer(testKeys),
  hashes: Hashes = hashesOf(),
): Promise<TestService> {
  const database = beside?.database ?? (await migratedDatabase("beneficiary", migrations));
  const clock = createTestClock();
  const compliance = createFakeCompliance(clock);
  const deps: ServiceDeps = {
    ...openStores(database, sealer, hashes, contentKeyOf(contentHashes)),
    compliance,
    clock,
    log: silentLog,
    sealer,
    hashes,
    openLinksMax: 1_000,
    sweepEveryMs,
    allowed: { routing_code_value_1: networks },
  };
  const transport = createRouterTransport(
    (router) => router.service(BeneficiaryService, beneficiaryRpc(deps)),
    namedCallers,
  );
  return {
    rpc: createClient(BeneficiaryService, transport),
    deps,
    clock,
    compliance,
    database,
    stop: async () => {
      await database.db.dropDatabase();
      await database.close();
    },
  };
}

/** A mutation with a new operation id, unless one is given. */
export function mutation(operationId = `op-${randomBytes(8).toString("hex")}`) {
  return { operationId, actor: { kind: Actor_Kind.API_KEY, id: "key_1" } };
}
