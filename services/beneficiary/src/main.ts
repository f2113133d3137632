import { startRelay } from "@disburse/chassis/bus/outbox-relay.ts";
import { openKeys } from "@disburse/chassis/crypto/open.ts";
import { startResealing } from "@disburse/chassis/crypto/resealing.ts";
import { contentKeyOf, contentPurpose } from "@disburse/chassis/mutations/content.ts";
import { runService, serviceStart } from "@disburse/chassis/service/start.ts";
import { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { BeneficiarySandboxService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_sandbox_pb.ts";
import { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { ComplianceSandboxService } from "@disburse/contracts/disburse/compliance/v1/compliance_sandbox_pb.ts";
import { custodyProviderCodes } from "@disburse/forms/values/custody-providers.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { destinationPurpose } from "./beneficiaries/destination.ts";
import { searchPurpose } from "./beneficiaries/search.ts";
import { sealedBeneficiaries } from "./beneficiaries/store.ts";
import { readConfig } from "./config.ts";
import { sealedLinks } from "./links/store.ts";
import { startLinkSweep } from "./links/submit.ts";
import { sealedProfiles } from "./merchants/profile-store.ts";
import { migrations } from "./migrations.ts";
import { sealedRecords } from "./records/document.ts";
import { beneficiaryRpc, sandboxRpc } from "./rpc.ts";
import { holdsBack } from "./sandbox/rpc.ts";
import { screeningOutbox, subscription } from "./screening/events.ts";
import { startBacklogGauges, startScreeningSweep } from "./screening/sweep.ts";
import { openStores } from "./wiring.ts";

/** Maximum wait of a merchant's request for a screening. After it, the sweep screens the record. */
const complianceTimeoutMs = 3_000;

export const start = serviceStart("beneficiary", readConfig, migrations, async (opening) => {
  const { config, log, metrics, database, lifetime } = opening;
  const { connect, openBus, serve, tracing } = opening;
  const purposes = [contentPurpose, destinationPurpose, searchPurpose];
  const keys = await openKeys(opening, config, ...purposes);
  const { sealer } = keys;
  const hashes = {
    terms: keys.hashes(searchPurpose),
    destinations: keys.hashes(destinationPurpose),
  };
  const deps = {
    ...openStores(database, sealer, hashes, contentKeyOf(keys.hashes(contentPurpose))),
    compliance: connect(ComplianceService, config.COMPLIANCE_URL, complianceTimeoutMs),
    complianceSandbox: connect(ComplianceSandboxService, config.COMPLIANCE_URL),
    holdsBack: config.DISBURSE_MODE === "sandbox" ? holdsBack : undefined,
    clock: systemClock,
    log,
    sealer,
    hashes,
    openLinksMax: config.OPEN_LINKS_PER_MERCHANT,
    sweepEveryMs: config.SCREENING_SWEEP_MS,
    allowed: {
      routing_code_value_1: config.OPEN_NETWORKS,
      beneficiary_wallet_custody_provider: custodyProviderCodes(config.CUSTODY_PROVIDERS),
    },
  };
  const bus = await openBus(config);
  await bus.subscribe(subscription(deps));
  const outbox = screeningOutbox(database.db);
  lifetime.add("outbox relay", startRelay({ outbox, bus, log }).stop);
  lifetime.add("screening sweep", startScreeningSweep({ ...deps, tracing }).stop);
  lifetime.add("link sweep", startLinkSweep(deps).stop);
  const records = [sealedBeneficiaries(hashes), sealedRecords("depositors")];
  const places = [...records, sealedLinks, sealedProfiles];
  const resealing = startResealing({ database, keys, places, metrics, log });
  lifetime.add("resealing", resealing.stop);
  lifetime.add("screening backlog", startBacklogGauges({ ...deps, metrics }).stop);
  return serve({
    services: [BeneficiaryService, BeneficiarySandboxService],
    routes: (router) => {
      router.service(BeneficiaryService, beneficiaryRpc(deps));
      router.service(BeneficiarySandboxService, sandboxRpc(deps));
    },
  });
});

if (import.meta.main) await runService("beneficiary", start);
