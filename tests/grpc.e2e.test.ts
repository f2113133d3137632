import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import type { Message } from "@bufbuild/protobuf";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import {
  GetAccountRequestSchema,
  GetAccountResponseSchema,
  ListAccountsRequestSchema,
  ListAccountsResponseSchema,
  PayoutService,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import {
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
} from "@disburse/contracts/health/v1/health_pb.ts";
import { type ServiceName, serviceNames } from "@disburse/sandbox/service-names.ts";
import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { Client, credentials, Metadata, status } from "@grpc/grpc-js";
import { beforeAll, describe, expect, it } from "vitest";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await sharedPlatform();
});

/** Makes a unary call with the stock gRPC client, like an internal team's program. */
async function unary<I extends Message, O extends Message>(
  service: ServiceName,
  path: string,
  [input, output]: [GenMessage<I>, GenMessage<O>],
  request: I,
  metadata: Metadata,
): Promise<O> {
  const client = new Client(new URL(platform.url(service)).host, credentials.createInsecure());
  try {
    return await new Promise<O>((resolve, reject) => {
      client.makeUnaryRequest<I, O>(
        path,
        (message) => Buffer.from(toBinary(input, message)),
        (bytes) => fromBinary(output, bytes),
        request,
        metadata,
        (error, response) => (response === undefined ? reject(error) : resolve(response)),
      );
    });
  } finally {
    client.close();
  }
}

const treasurer = () => platform.trust.person("ada", ["treasury"])("payout");

async function identity(): Promise<Metadata> {
  const metadata = new Metadata();
  metadata.set("authorization", await treasurer());
  return metadata;
}

describe("@grpc/grpc-js", () => {
  const health = [HealthCheckRequestSchema, HealthCheckResponseSchema] as const;
  it.each(serviceNames)("finds %s healthy, without a token", async (service) => {
    const request = { $typeName: "grpc.health.v1.HealthCheckRequest" as const, service: "" };
    const path = "/grpc.health.v1.Health/Check";
    const answer = await unary(service, path, [...health], request, new Metadata());
    expect(answer.status).toBe(1);
  });

  const getAccount = () => {
    const request = {
      $typeName: "disburse.payout.v1.GetAccountRequest" as const,
      merchantId: platform.sandbox.merchants.acme.merchant_id,
      accountId: platform.accountId("acme", "BTC"),
    };
    const path = `/${PayoutService.typeName}/GetAccount`;
    const types: [typeof GetAccountRequestSchema, typeof GetAccountResponseSchema] = [
      GetAccountRequestSchema,
      GetAccountResponseSchema,
    ];
    return (change: object, metadata: Metadata) =>
      unary("payout", path, types, { ...request, ...change }, metadata);
  };

  it("reads an account, exactly", async () => {
    const { account } = await getAccount()({}, await identity());
    expect(account).toMatchObject({ currencyCode: "BTC", available: "10.00000000" });
  });

  it("lists the accounts of all merchants for who names none", async () => {
    const request = create(ListAccountsRequestSchema, { limit: 100 });
    const path = `/${PayoutService.typeName}/ListAccounts`;
    const types: [typeof ListAccountsRequestSchema, typeof ListAccountsResponseSchema] = [
      ListAccountsRequestSchema,
      ListAccountsResponseSchema,
    ];
    const { accounts } = await unary("payout", path, types, request, await identity());
    const { acme, globex } = platform.sandbox.merchants;
    const merchants = new Set(accounts.map(({ merchantId }) => merchantId));
    expect(merchants).toEqual(new Set([acme.merchant_id, globex.merchant_id]));
  });

  it("is refused with a code and without a token", async () => {
    const unknown = getAccount()({ accountId: "acc_x" }, await identity());
    const details = "RECORD_NOT_FOUND: Unable to find the record requested.";
    await expect(unknown).rejects.toMatchObject({ code: status.NOT_FOUND, details });
    const anonymous = getAccount()({}, new Metadata());
    await expect(anonymous).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
  });
});

describe("buf curl", () => {
  const buf = createRequire(import.meta.url).resolve("@bufbuild/buf/bin/buf");
  const curl = async (args: readonly string[]) => {
    const authorization = `authorization: ${await treasurer()}`;
    const headers = ["--header", authorization, "--reflect-header", authorization];
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...[buf, "curl", "--protocol", "grpc", "--http2-prior-knowledge", ...headers, ...args],
    ]);
    return stdout;
  };

  it.each([
    ["compliance", "disburse.compliance.v1.ComplianceService"],
    ["beneficiary", "disburse.beneficiary.v1.BeneficiaryService"],
    ["quote", "disburse.quote.v1.QuoteService"],
    ["payout", "disburse.payout.v1.PayoutService"],
    ["payout", "disburse.payout.v1.PayoutOperatorService"],
    ["notifier", "disburse.notifier.v1.NotifierService"],
    ["gateway", "disburse.gateway.v1.KeyService"],
  ] as const)("learns from %s by reflection that it serves %s", async (service, name) => {
    const listed = await curl(["--list-methods", platform.url(service)]);
    expect(listed).toContain(`${name}/`);
  });

  it("calls a service without having its schema", async () => {
    const merchant_id = platform.sandbox.merchants.acme.merchant_id;
    const listed = await curl([
      "--data",
      JSON.stringify({ merchant_id }),
      `${platform.url("quote")}/disburse.quote.v1.QuoteService/ListCorridors`,
    ]);
    const { corridors } = JSON.parse(listed) as { corridors: { rate: { rate: string } }[] };
    expect(corridors.map(({ rate }) => rate.rate)).toContain("83.1234567891");
  });
});
