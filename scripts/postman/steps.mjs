// The requests of the Postman collection, in an order in which each finds the records that it needs.

/**
 * One request: the operation, and what differs from the contract's example. `body` replaces fields,
 * `null` removes one; `{}` alone sends no field. `save` stores values of the response's `data` as
 * variables. `as` is the key that sends it; the default is `api_key`.
 */
const step = (operation, more = {}) => ({ operation, ...more });

const id = (name) => ({ [name]: "data.id" });

const fundedAccount = {
  account_id:
    'data.accounts.find((each) => each.currency_code === "USD" && Number(each.available) > 0).id',
};
const quote = step("requestQuote", { body: { source_amount: "2.00" }, save: id("quote_id") });
const execute = (name, reference) =>
  step("executePayout", { name, body: { reference_id: reference }, save: id("payout_id") });
const approver = { as: "approver_api_key" };
const digestBy = (operation, name) =>
  step(operation, { name, save: { digest: "data.approval.digest" } });
const digest = digestBy("getPayout", "Get payout that awaits approval");
const scheduled = step("createScheduledPayout", {
  name: "Schedule payout with the new key",
  body: { source_amount: "2.00", max_source_amount: null },
  save: id("scheduled_payout_id"),
  as: "new_api_key",
});
const batch = (more) =>
  step("createBatch", { save: { batch_id: "data.id", digest: "data.approval.digest" }, ...more });

const looser = (name) =>
  step("setApprovalRules", {
    name,
    body: {},
    only: true,
    save: { proposal_id: "data.proposal.id", digest: "data.proposal.digest" },
  });

export const folders = {
  "First payout": [
    step("listAccounts", { save: fundedAccount }),
    step("listCorridors"),
    step("listBeneficiaryForms"),
    step("validateFiatBeneficiary"),
    step("createFiatBeneficiary", { save: { beneficiary_id: "data.beneficiary_id" } }),
    quote,
    step("getQuote"),
    step("executePayout", {
      body: { reference_id: "sandbox-silent-{{$guid}}" },
      save: id("payout_id"),
    }),
    step("leavePayoutInDoubt"),
    step("settlePayout"),
    step("getPayout"),
    step("listPayouts"),
    step("exportPayouts"),
    step("exportAccounting"),
    step("listPayoutEvents"),
    step("getPayoutReceipt"),
    step("getPayoutReceiptPdf"),
  ],
  "Returns, failures and cancellation": [
    step("returnPayout"),
    step("reissuePayout", { body: { beneficiary_id: null, max_source_amount: null } }),
    quote,
    execute("Execute payout that fails", "sandbox-silent-{{$guid}}"),
    step("failPayout"),
    quote,
    execute("Execute payout to cancel", "sandbox-batch-{{$guid}}"),
    step("cancelPayout"),
    quote,
    step("expireQuote"),
  ],
  Approvals: [
    step("setPayoutControls", { body: { approval_amounts: { USD: "1.00" } }, only: true }),
    quote,
    execute("Execute payout to approve", "order-{{$guid}}"),
    digest,
    step("approvePayout", approver),
    quote,
    execute("Execute payout to reject", "order-{{$guid}}"),
    step("rejectPayout", approver),
    step("setApprovalRules"),
    step("getApprovalRules"),
    looser("Propose rules to approve"),
    step("listRulesProposals", approver),
    step("getRulesProposal", approver),
    step("approveRulesProposal", approver),
    step("setApprovalRules", { name: "Set approval rules again" }),
    looser("Propose rules to reject"),
    step("rejectRulesProposal", approver),
    looser("Propose rules to withdraw"),
    step("withdrawRulesProposal"),
    step("setPayoutControls", { name: "Remove your payout controls", body: {}, only: true }),
  ],
  "Company profile": [
    step("updateMerchant"),
    step("setMerchantLogo"),
    step("getMerchant"),
    step("getMerchantLogo"),
    step("removeMerchantLogo"),
  ],
  "Keys and scheduled payouts": [
    step("createScheduledPayout", {
      body: { source_amount: "2.00", max_source_amount: null },
      save: id("scheduled_payout_id"),
    }),
    step("listScheduledPayouts"),
    step("getScheduledPayout"),
    step("cancelScheduledPayout"),
    ...["approveScheduledPayout", "rejectScheduledPayout"].flatMap((decide) => [
      step("createKey", {
        body: { scopes: ["payout:write"], source_cidrs: null, expires_at: null },
        save: { key_id: "data.id", new_api_key: "data.secret" },
      }),
      scheduled,
      step("revokeKey"),
      digestBy("getScheduledPayout", "Get scheduled payout that awaits approval"),
      step(decide, approver),
    ]),
    step("listKeys"),
  ],
  Batches: [
    step("getBatchTemplate"),
    step("validateBatch"),
    batch(),
    step("approveBatch", { body: { max_total_amount: "1000.00" } }),
    step("listBatches"),
    step("getBatch"),
    step("listBatchLines"),
    step("exportBatchReport"),
    step("exportBatchReportJson"),
    step("exportFailedBatchLines"),
    batch({ name: "Create batch to reject" }),
    step("rejectBatch"),
    batch({ name: "Create batch to cancel" }),
    step("cancelBatch"),
  ],
  Accounts: [
    step("creditAccount"),
    step("getAccount"),
    step("updateAccount"),
    step("listEntries"),
    step("exportEntries"),
    step("getAccountActivity"),
    step("exportStatement"),
    step("listAccounts", {
      name: "List accounts without money",
      save: { account_id: "data.accounts.find((each) => Number(each.available) === 0).id" },
    }),
    step("closeAccount"),
    step("reopenAccount"),
    step("listAccounts", { name: "List accounts with money", save: fundedAccount }),
  ],
  Webhooks: [
    step("createWebhookEndpoint", { save: id("endpoint_id") }),
    step("listWebhookEndpoints"),
    step("getWebhookEndpoint"),
    step("updateWebhookEndpoint"),
    step("verifyWebhookEndpoint"),
    step("pauseWebhookEndpoint"),
    step("resumeWebhookEndpoint"),
    step("rotateWebhookSecret", { body: { stage: true } }),
    step("activateWebhookSecret"),
    step("sendTestWebhook"),
    step("sendWebhookEvent", { save: id("delivery_id") }),
    step("listWebhookDeliveries"),
    step("getWebhookActivity"),
    step("getWebhookDelivery"),
    step("retryWebhookDelivery"),
    step("lapseWebhookDelivery"),
    step("redeliverWebhook"),
    step("createWebhookReplay", {
      body: { since: "{{an_hour_ago}}", until: null },
      save: id("replay_id"),
    }),
    step("listWebhookReplays"),
    step("getWebhookReplay"),
    step("cancelWebhookReplay"),
    step("listWebhookEvents"),
    step("deleteWebhookEndpoint"),
  ],
  "Beneficiaries and depositors": [
    step("validateCryptoBeneficiary"),
    step("createCryptoBeneficiary", { save: { beneficiary_id: "data.beneficiary_id" } }),
    step("listBeneficiaries"),
    step("getBeneficiary"),
    step("updateBeneficiary"),
    step("setBeneficiaryListing"),
    step("archiveBeneficiary"),
    step("createBeneficiaryLink", { save: id("link_id") }),
    step("listBeneficiaryLinks"),
    step("getBeneficiaryLink"),
    step("revokeBeneficiaryLink"),
    step("createDepositor", { save: id("depositor_id") }),
    step("listDepositors"),
    step("getDepositor"),
    step("setDepositorListing"),
  ],
  "Team, requests and the sandbox": [
    step("addTeamMember", {
      body: { email: "{{$guid}}@merchant.example" },
      save: id("member_id"),
    }),
    step("listTeamMembers"),
    step("updateTeamMember"),
    step("removeTeamMember"),
    step("listRequests"),
    step("setRailSilence"),
    step("endRailSilence"),
    step("setScenario", {
      body: { fail_percent: 0, return_percent: 0, doubt_percent: 0, max_delay_ms: null },
    }),
  ],
  Operational: [
    step("getHealth"),
    step("getReadiness"),
    step("getReceiptKeys"),
    step("getOpenApi"),
    step("getOpenApiWithStrings"),
    step("getDocs"),
  ],
};
