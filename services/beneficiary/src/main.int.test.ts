import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { create as createMessage, fromJson, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { connectAmqpBus } from "@disburse/chassis/amqp/bus.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectService, type ServiceClient } from "@disburse/chassis/rpc/client.ts";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import { type RpcServer, startRpcServer } from "@disburse/chassis/rpc/server.ts";
import {
  BeneficiaryService,
  CryptoBeneficiaryFieldsSchema,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { ScreeningChangedSchema } from "@disburse/contracts/disburse/compliance/v1/compliance_events_pb.ts";
import {
  ComplianceService,
  type ScreenPartyRequest,
  type ScreenWalletRequest,
  Verdict,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/bodies/crypto-beneficiary.ts";
import { exampleOf } from "@disburse/forms/describe/examples.ts";
import { newId } from "@disburse/kernel/id.ts";
import { amqpUrl, freshPrefix } from "@disburse/testkit/broker.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { connect } from "amqplib";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { mutation } from "./test-service.ts";

const merchantId = "mer_acme";
let compliance: RpcServer;
let screensParties = true;
/** Listed records, which compliance never clears again. */
const listed = new Set<string>();
let service: ChildProcess;
let client: ServiceClient<typeof BeneficiaryService>;
/** The gateway registers merchants; operators don't. */
let gateway: ServiceClient<typeof BeneficiaryService>;
let output = "";
let namespace: string;

/** Serves compliance as a separate process would. */
function serveCompliance(port: number): Promise<RpcServer> {
  const screening = ({ subject }: ScreenWalletRequest | ScreenPartyRequest) => ({
    screening: {
      id: newId("screening"),
      verdict: listed.has(subject?.recordId ?? "") ? Verdict.BLOCK : Verdict.CLEAR,
      createdAt: timestampFromDate(new Date()),
    },
  });
  return startRpcServer({
    host: "127.0.0.1",
    port,
    verify: testTrust.verify("compliance"),
    log: silentLog,
    metrics: createMetrics("compliance"),
    services: [ComplianceService],
    ready: async () => true,
    routes: (router) =>
      router.service(ComplianceService, {
        screenWallet: screening,
        screenParty: (request) =>
          screensParties ? screening(request) : new Promise<never>(() => undefined),
      }),
  });
}

beforeAll(async () => {
  compliance = await serveCompliance(0);
  const database = freshDatabase("beneficiary_main");
  namespace = freshPrefix("beneficiary").replaceAll(".", "-");
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const place = { MONGODB_URI: mongodbUri(database), DATABASE: database };
  // The job needs no other settings.
  const job = spawnSync(process.execPath, [main, "migrate"], { env: place, encoding: "utf8" });
  expect(job.status, job.stdout).toBe(0);
  expect(job.stdout).toMatch(/"migration":1.*"migration applied".*\n(?:.*\n)*.*database migrated/);
  service = spawn(process.execPath, [main], {
    env: {
      ...place,
      DISBURSE_MODE: "sandbox",
      PORT: "0",
      ...testTrust.settings("beneficiary"),
      LOG_LEVEL: "debug",
      AMQP_URL: amqpUrl(),
      BUS_NAMESPACE: namespace,
      COMPLIANCE_URL: compliance.url,
      ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      SCREENING_SWEEP_MS: "50",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [service.stdout, service.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const url = await vi.waitUntil(() => /"url":"(http[^"]+)"/.exec(output)?.[1], {
    timeout: 30_000,
  });
  client = connectService(BeneficiaryService, url, { identity: testTrust.person("test") });
  gateway = connectService(BeneficiaryService, url, { identity: testTrust.service("gateway") });
});

afterAll(async () => {
  client?.close();
  gateway?.close();
  service?.kill("SIGKILL");
  await compliance?.stop();
});

function create() {
  const [form] = cryptoBeneficiary.forms;
  const fields = fromJson(CryptoBeneficiaryFieldsSchema, form === undefined ? {} : exampleOf(form));
  return gateway.rpc.createCryptoBeneficiary({ mutation: mutation(), merchantId, fields });
}

const status = async (beneficiaryId: string) =>
  (await client.rpc.getBeneficiary({ merchantId, beneficiaryId })).beneficiary?.screeningStatus;

/** A screening change that compliance publishes on its own, after a list names a party. */
function screeningChanged(eventId: string, recordId: string, verdict: Verdict): Buffer {
  const changed = createMessage(ScreeningChangedSchema, {
    ...{ eventId, subject: { merchantId, recordId }, verdict },
    ...{ screeningId: newId("screening"), screenedAt: timestampFromDate(new Date()) },
  });
  return Buffer.from(toBinary(ScreeningChangedSchema, changed));
}

async function publishBlock(recordId: string): Promise<void> {
  const own = { service: "compliance", keys: testTrust.eventKeys("compliance") };
  const bus = await connectAmqpBus({ url: amqpUrl(), namespace, ...own, log: silentLog });
  listed.add(recordId);
  const body = screeningChanged("evt_1", recordId, Verdict.BLOCK);
  // Publishing fails until the bus is connected and the service's queue exists.
  const publish = () => bus.publish([{ id: "evt_1", key: "screening.changed", body }]);
  await vi.waitFor(publish, { timeout: 20_000 });
  await bus.stop();
}

/**
 * Forges a clearing event, as an attacker inside the broker could. Returns the dead-lettered
 * message.
 */
async function forgeClear(recordId: string) {
  const connection = await connect(amqpUrl());
  const channel = await connection.createChannel();
  const body = screeningChanged("evt_forged", recordId, Verdict.CLEAR);
  const properties = { persistent: true, messageId: "evt_forged" };
  channel.publish(`${namespace}.compliance.events`, "screening.changed", body, properties);
  const message = () => channel.get(`${namespace}.beneficiary.dead`, { noAck: true });
  const dead = await vi.waitUntil(message, { timeout: 20_000, interval: 20 });
  await connection.close();
  return dead;
}

it("serves, consumes screening events and no forged ones, retries screenings, logs nothing personal, shuts down", async () => {
  await client.rpc.createMerchant({ mutation: mutation(), merchantId, name: "Acme" });
  await client.rpc.setMerchantPermissions({
    mutation: mutation(),
    permissions: { merchantId, mayCreateBeneficiaries: true, mayCreateDepositors: true },
  });
  const { beneficiaryId: cleared } = await create();
  expect(await status(cleared)).toBe(ScreeningStatus.CLEARED);

  await publishBlock(cleared);
  await vi.waitUntil(async () => (await status(cleared)) === ScreeningStatus.BLOCKED, {
    timeout: 20_000,
    interval: 20,
  });

  const dead = await forgeClear(cleared);
  expect(dead).toMatchObject({ properties: { messageId: "evt_forged" } });
  expect(await status(cleared)).toBe(ScreeningStatus.BLOCKED);
  expect(output).toMatch(
    /"event_id":"evt_forged","reason":"unsigned".*its signature was rejected"/,
  );

  screensParties = false;
  const { beneficiaryId: pending } = await create();
  expect(await status(pending)).toBe(ScreeningStatus.PENDING);
  const port = Number(new URL(compliance.url).port);
  const stopped = compliance.stop();
  expect(isUnavailable(await create().catch((error: unknown) => error))).toBe(true);
  await stopped;
  screensParties = true;
  compliance = await serveCompliance(port);
  await vi.waitUntil(async () => (await status(pending)) === ScreeningStatus.CLEARED, {
    timeout: 40_000,
    interval: 50,
  });

  const ended = new Promise((resolve) => service.once("exit", resolve));
  service.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(output).toContain(
    "record not screened, because the compliance service is unavailable; the screening will be retried",
  );
  for (const plain of ["Jane", "Doe", "0x5a", "X1234567", "1985-04-12", "Main Street"]) {
    expect(output).not.toContain(plain);
  }
});
