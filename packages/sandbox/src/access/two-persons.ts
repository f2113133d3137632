export type TwoPersonEffect = {
  readonly effect: string;
  readonly rpcs: readonly TwoPersonRpc[];
};

export type TwoPersonRpc = {
  readonly rpc: string;
  /**
   * `proposal`: the call creates a proposal that another person must approve. `retained`: removed
   * data stays effective until the RPC `by` runs.
   */
  readonly how: "proposal" | "retained";
  readonly when: string;
  readonly by?: string;
};

const proposal = (rpc: string, when: string): TwoPersonRpc => ({ rpc, how: "proposal", when });

const removal = "ComplianceService/RemoveRetainedEntries";

/** Lists the effects that need two persons, with every operator RPC that can cause them. */
export const twoPersonEffects: readonly TwoPersonEffect[] = [
  {
    effect: "A stopped party is cleared",
    rpcs: [
      proposal(removal, "always"),
      {
        rpc: "ComplianceService/ImportList",
        how: "retained",
        by: removal,
        when: "entries are removed, or lose names, documents, wallets or evidence; incomplete files also need a proposal",
      },
      {
        rpc: "ComplianceService/CheckSource",
        how: "retained",
        by: removal,
        when: "the publisher removes entries that stop a party, or more than 2 % of the list within a day",
      },
      proposal(
        "ComplianceReviewService/DecideAlert",
        "the decision is a true match, or clears a score of at least `APPROVAL_CLEAR_SCORE` or a hit of `APPROVAL_CLEAR_LISTS`",
      ),
      proposal("ComplianceReviewService/ReopenAlert", "two persons confirmed the match"),
    ],
  },
  {
    effect: "Money is credited",
    rpcs: [
      proposal(
        "PayoutService/CreditAccount",
        "above the person's daily limit (`APPROVAL_CREDIT_LIMITS`)",
      ),
      proposal(
        "PayoutService/ReverseCredit",
        "above the person's daily limit (`APPROVAL_CREDIT_LIMITS`)",
      ),
      proposal(
        "PayoutOperatorService/FundRailAccount",
        "above the same limit; always in live mode",
      ),
      proposal(
        "PayoutOperatorService/SweepRailAccount",
        "above the same limit; always in live mode",
      ),
      proposal("NotifierService/PublishEvent", "always: the event reports an incoming payment"),
    ],
  },
  {
    effect: "Merchants send money to another account",
    rpcs: [
      proposal("PayoutService/SetTopUpInstructions", "always, unless the call removes the text"),
    ],
  },
  {
    effect: "A payout is paid, or its money released",
    rpcs: [
      proposal("PayoutOperatorService/ResolvePayout", "always"),
      proposal("PayoutOperatorService/CancelNonce", "always"),
      proposal("PayoutOperatorService/CancelTransactionBatch", "always"),
      proposal("PayoutOperatorService/ResolveBankFile", "a decision is due"),
      proposal("PayoutOperatorService/HandleBankFinding", "the finding holds a payout"),
    ],
  },
  {
    effect: "A limit or a control is lifted",
    rpcs: [
      proposal("PayoutOperatorService/SetVelocityLimits", "unless the call only tightens limits"),
      proposal("PayoutOperatorService/SetPayoutControls", "unless the call only tightens limits"),
    ],
  },
  {
    effect: "A rate changes, or a corridor opens",
    rpcs: [
      proposal(
        "QuoteService/SetRate",
        "the rate changes by more than `APPROVAL_RATE_MOVE` within a day",
      ),
      proposal("QuoteService/SetCorridor", "`APPROVAL_CORRIDORS` requires it"),
      proposal(
        "QuoteService/SetMerchantCorridor",
        "`APPROVAL_CORRIDORS` requires it, and the call opens a corridor",
      ),
    ],
  },
  {
    effect: "A key or role gets permissions",
    rpcs: [
      proposal(
        "KeyService/CreateKey",
        "live mode, with permission to create, approve or control payouts",
      ),
      proposal(
        "KeyService/RotateKey",
        "live mode, with permission to create, approve or control payouts",
      ),
      proposal(
        "TeamService/AddMember",
        "live mode, with permission to create, approve or control payouts that the person lacks",
      ),
      proposal(
        "TeamService/SetMemberRole",
        "live mode, with permission to create, approve or control payouts that the person lacks",
      ),
    ],
  },
];

/** Explains why each other mutating operator RPC needs only one person. */
export const onePersonRpcs: Readonly<Record<string, string>> = {
  "ApprovalService/ApproveProposal": "the approver is the second person",
  "ApprovalService/RejectProposal": "only stops something",
  "ApprovalService/WithdrawProposal": "only stops something",
  "BeneficiaryService/CreateMerchant": "the new merchant has no keys, accounts or corridors",
  "BeneficiaryService/SetMerchantPermissions": "allows records to be created, and moves no money",
  "ComplianceReviewService/AddAlertFile": "changes no verdict",
  "ComplianceReviewService/AssignAlert": "changes no verdict",
  "ComplianceReviewService/CommentAlert": "changes no verdict",
  "ComplianceService/RescreenSubjects": "the lists in force decide",
  "ComplianceService/ScreenParty": "the request names no record, so it changes no verdict",
  "ComplianceService/ScreenWallet": "changes no verdict of a record",
  "KeyService/RevokeKey": "only stops something",
  "NotifierService/ActivateSecret": "webhooks move no money",
  "NotifierService/ApproveEndpoint": "webhooks move no money",
  "NotifierService/CancelReplay": "webhooks move no money",
  "NotifierService/CreateEndpoint": "webhooks move no money",
  "NotifierService/CreateReplay": "repeats sent webhooks",
  "NotifierService/DeleteEndpoint": "webhooks move no money",
  "NotifierService/PauseEndpoint": "webhooks move no money",
  "NotifierService/Redeliver": "repeats sent webhooks",
  "NotifierService/ResumeEndpoint": "webhooks move no money",
  "NotifierService/RotateSecret": "webhooks move no money",
  "NotifierService/SendTestEvent": "a test event is marked as one",
  "NotifierService/UpdateEndpoint": "webhooks move no money",
  "NotifierService/VerifyEndpoint": "webhooks move no money",
  "PayoutOperatorService/ReceiveRailCallback": "the rail signed the callback",
  "PayoutOperatorService/RepublishPayoutEvents": "repeats published events",
  "PayoutOperatorService/SetRailPaused": "pauses a rail, or resumes earlier decisions",
  "PayoutOrderService/CancelBatch": "only stops something",
  "PayoutOrderService/CancelScheduledPayout": "only stops something",
  "PayoutOrderService/RejectScheduledPayout": "only stops something",
  "PayoutOrderService/RejectBatch": "only stops something",
  "PayoutService/CancelPayout": "only stops something",
  "PayoutService/OpenAccount": "an account without money",
  "PayoutService/ReopenAccount":
    "an account of the same merchant, which only its own keys pay from",
  "PayoutService/RejectPayout": "only stops something",
  "PayoutService/ReportRailOutcome": "not served in live mode",
  "TeamService/RemoveMember": "only stops something",
};

export function twoPersonTable(): string {
  const rows = twoPersonEffects.flatMap(({ effect, rpcs }) =>
    rpcs.map(({ rpc, how, when, by }) => {
      const step = by === undefined ? how : `${how}: \`${by}\``;
      return `| ${effect} | \`${rpc}\` | ${step} | ${when} |`;
    }),
  );
  return [
    "## Effects that need two persons",
    "",
    "Each operator RPC that can have one of these effects needs a second person in the case in the last column ([decision 0045](../decisions/0045-approvals.md)). With `proposal`, another person approves the call before it takes effect. With `retained`, removed data stays effective until the named RPC runs. `tests/two-persons.test.ts` requires that each mutating operator RPC is in one of the two tables below, and that each row here has its guard.",
    "",
    "| effect | RPC | second person | when |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
    "One person is enough for these RPCs:",
    "",
    "| RPC | why |",
    "| --- | --- |",
    ...Object.entries(onePersonRpcs).map(([rpc, why]) => `| \`${rpc}\` | ${why} |`),
    "",
  ].join("\n");
}
