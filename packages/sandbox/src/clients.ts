import { Code, ConnectError } from "@connectrpc/connect";
import type { Tls } from "@disburse/chassis/identity/certificates.ts";
import type { ClientIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import { connectService } from "@disburse/chassis/rpc/client.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { TeamService } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import {
  Health,
  HealthCheckResponse_ServingStatus,
} from "@disburse/contracts/health/v1/health_pb.ts";
import type { ServiceName } from "./service-names.ts";

export type ServiceUrls = Readonly<Record<ServiceName, string>>;

export type SandboxClients = ReturnType<typeof connectServices>["rpcs"];

/** The time limit of a call. Importing a list takes longest. */
const callTimeoutMs = 30_000;

type AnyService = Parameters<typeof connectService>[0];

export function connectServices(
  url: (service: ServiceName) => string,
  identity: ClientIdentity,
  tls?: Tls,
) {
  const opened: { close(): void }[] = [];
  const connect = <S extends AnyService>(contract: S, service: ServiceName) => {
    const client = connectService(contract, url(service), {
      identity,
      tls,
      timeoutMs: callTimeoutMs,
    });
    opened.push(client);
    return client.rpc;
  };
  return {
    rpcs: {
      beneficiary: connect(BeneficiaryService, "beneficiary"),
      compliance: connect(ComplianceService, "compliance"),
      review: connect(ComplianceReviewService, "compliance"),
      quote: connect(QuoteService, "quote"),
      payout: connect(PayoutService, "payout"),
      operations: connect(PayoutOperatorService, "payout"),
      notifier: connect(NotifierService, "notifier"),
      keys: connect(KeyService, "gateway"),
      team: connect(TeamService, "gateway"),
    },
    close: () => {
      for (const client of opened) client.close();
    },
  };
}

export async function waitUntilServing(
  url: string,
  timeoutMs: number,
  secured?: { readonly tls: Tls; readonly peer: ServiceName },
): Promise<void> {
  // Health checks need no identity.
  const health = connectService(Health, url, { identity: () => "", ...secured });
  try {
    await retryUntilAvailable(async () => {
      const { status } = await health.rpc.check({});
      if (status === HealthCheckResponse_ServingStatus.SERVING) return;
      throw new ConnectError(
        `${url} does not report SERVING in its health check`,
        Code.Unavailable,
      );
    }, timeoutMs);
  } finally {
    health.close();
  }
}

const retryMs = 50;

/** Retries a call while its service is unavailable. Throws the last error after `timeoutMs`. */
export async function retryUntilAvailable(
  call: () => Promise<unknown>,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      await call();
      return;
    } catch (error) {
      const isUnavailable = error instanceof ConnectError && error.code === Code.Unavailable;
      if (!isUnavailable || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
