import type { Batch, BatchValidation } from "@disburse/sdk/gen/types.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { batches } from "../../api/lists.ts";
import { post, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Fields } from "../../ui/fields.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { moneyText } from "../../ui/rules/amounts.ts";
import { useAttempt } from "../../ui/use-attempt.ts";
import { useRested } from "../../ui/use-rested.ts";
import { accountLabel } from "../rules/account.ts";
import { PayrollGrid } from "./payroll-grid.tsx";
import { rememberColumns } from "./remembered-columns.ts";
import { fields, namesOf, rememberedOf, withColumn } from "./rules/columns.ts";
import { amountStyles, batchOf, type Parties, type Payroll, withFound } from "./rules/payroll.ts";
import { words } from "./words.ts";

type PayrollProps = {
  readonly payroll: Payroll;
  readonly parties: Parties;
  readonly onChange: (payroll: Payroll | null) => void;
};

/** Corrects a payroll until the platform accepts it, and submits it for approval. */
export function PayrollForm(props: PayrollProps & { forget: () => void }) {
  const { payroll, parties, onChange, forget } = props;
  const { merchant } = useSession();
  const navigate = useNavigate();
  const { made, checked, problems, isCurrent, isChecking } = useCheck(payroll, parties);
  const submitting = useAttempt({
    send: async (body: object, idempotencyKey) => {
      const { id: batchId } = await post<Batch>(batches.path, body, idempotencyKey);
      if (payroll.corrects === "") {
        rememberColumns(merchant?.id, rememberedOf(namesOf(payroll), payroll.columnOf));
      }
      forget();
      await navigate({ to: "/batches/$batchId", params: { batchId }, ignoreBlocker: true });
    },
  });
  const all = [...problems.values()];
  const mistakes = all.filter((each) => each.some(({ isMistake }) => isMistake)).length;
  const isReady = isCurrent && mistakes === 0;
  const isWaiting = isChecking || submitting.isPending;
  return (
    <div className="stack">
      <Settings {...props} />
      {parties.payees.isCut ? <Notice tone="warn">{words.manyPayees}</Notice> : null}
      <PayrollGrid {...{ payroll, parties, onChange, problems }} />
      <Section title={words.totals}>
        {checked.isError ? (
          <ProblemNotice error={checked.error} onRetry={() => void checked.refetch()} />
        ) : null}
        {checked.data === undefined ? null : <Totals {...checked.data.validation} />}
        {mistakes > 0 ? (
          <Notice tone="warn">{words.mistakes({ count: mistakes })}</Notice>
        ) : all.length > 0 ? (
          <Notice tone="warn">{words.warnings({ count: all.length })}</Notice>
        ) : null}
        {submitting.isError ? (
          <ProblemNotice error={submitting.error} noAnswer={words.notKnown} />
        ) : null}
        <div className="row">
          <Button
            kind="primary"
            disabled={!isReady || submitting.isPending || submitting.isSuccess}
            onClick={() => submitting.mutate(made.body)}
          >
            {isWaiting ? words.checking : words.submit}
          </Button>
          <ConfirmButton
            label={words.again}
            text={words.againText}
            confirm={async () => onChange(null)}
          />
        </div>
      </Section>
    </div>
  );
}

/** Validates the payroll whenever it has changed. */
function useCheck(payroll: Payroll, parties: Parties) {
  const made = useMemo(() => batchOf(payroll, parties, words.problems), [payroll, parties]);
  const rested = useRested(made);
  const checked = useQuery({
    queryKey: ["batch check", rested.text],
    queryFn: async ({ signal }) => {
      const path = `${batches.path}/validate`;
      const validation = await send<BatchValidation>("POST", path, { body: rested.body, signal });
      return { validation, texts: rested.texts };
    },
    enabled: rested.texts.size > 0,
    placeholderData: keepPreviousData,
    staleTime: "static",
    gcTime: 0,
  });
  const problems = useMemo(() => {
    const { validation, texts } = checked.data ?? {};
    return withFound(made, validation?.problems ?? [], texts ?? new Map());
  }, [made, checked.data]);
  const isFilled = made.texts.size > 0;
  const isCurrent = isFilled && rested === made && checked.isSuccess && !checked.isPlaceholderData;
  const isChecking = isFilled && !isCurrent && !checked.isError;
  return { made, checked, problems, isCurrent, isChecking };
}

function Settings({ payroll, parties, onChange }: PayrollProps) {
  const { header, columnOf, amountStyle, accountId, reference } = payroll;
  const options = header.map((name, at) => {
    return [String(at), name || words.unnamed({ number: at + 1 })] as const;
  });
  const isSure =
    columnOf["beneficiary_id"] !== undefined &&
    (columnOf["receiving_amount"] ?? columnOf["source_amount"]) !== undefined;
  const own = { accountId, amountStyle, reference };
  const account = {
    name: "accountId",
    label: t.payouts.create.fromAccount,
    options: parties.accounts.map((each) => [each.id, accountLabel(each)] as const),
  } as const;
  return (
    <div className="card">
      <div className="fields">
        <Fields
          fields={[
            ...(columnOf["account_id"] === undefined ? [account] : []),
            {
              name: "amountStyle",
              label: words.amountStyle,
              options: Object.entries(amountStyles),
            },
            {
              name: "reference",
              label: `${t.batches.reference} ${t.forms.optional}`,
              maxLength: 255,
            },
          ]}
          field={(name) => ({
            value: own[name],
            onChange: (text) => onChange({ ...payroll, [name]: text }),
          })}
        />
      </div>
      <details open={!isSure}>
        <summary>{words.columns}</summary>
        <div className="stack">
          <p className="soft small">{words.columnsHint}</p>
          <div className="fields">
            <Fields
              fields={fields.map(({ name }) => ({
                name,
                label: words.fields[name] ?? name,
                none: words.noColumn,
                options,
              }))}
              field={(name) => ({
                value: String(columnOf[name] ?? ""),
                onChange: (at) => {
                  const place = at === "" ? undefined : Number(at);
                  onChange({ ...payroll, columnOf: withColumn(columnOf, name, place) });
                },
              })}
            />
          </div>
        </div>
      </details>
    </div>
  );
}

function Totals(validation: BatchValidation) {
  const { source_currency_code: source, receiving_totals: received } = validation;
  const money = (amount: string | undefined) =>
    amount === undefined || source === "" ? "" : moneyText(amount, source);
  const receivedTexts = received.map((each) => moneyText(each.amount, each.currency_code));
  return (
    <div className="card">
      <Facts
        rows={[
          [t.batches.lines, String(validation.line_count)],
          [words.payable, String(validation.payable_count)],
          [words.cost, money(validation.total_amount)],
          [words.fees, money(validation.total_fees)],
          [t.batches.one.receivingTotal, receivedTexts.join(", ")],
          [words.available, money(validation.available_amount)],
        ]}
      />
      {validation.balance_sufficient ? null : <Notice tone="warn">{words.tooShort}</Notice>}
      {validation.approval_by_another ? <Notice tone="info">{words.byAnother}</Notice> : null}
    </div>
  );
}
