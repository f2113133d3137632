import type {
  BeneficiaryForm,
  BeneficiaryForms,
  CreatedBeneficiary,
} from "@disburse/sdk/gen/types.ts";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { beneficiaries } from "../../api/lists.ts";
import { get } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { useDraft } from "../../session/draft.ts";
import { SelectField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { BodyForm } from "../forms/body-form.tsx";
import { humanGroups } from "../forms/groups.ts";
import { discoveredFields } from "../forms/rules/form-field.ts";
import { useBodyForm } from "../forms/use-body-form.ts";

const words = t.beneficiaries.create;
const route = getRouteApi("/shell/beneficiaries/new");

/** The choices that select a form. */
type Choice = { readonly kind: string; readonly currency: string; readonly method: string };

const firstChoice: Choice = { kind: "Individual", currency: "", method: "" };

const methodOf = ({ transfer_type: type }: BeneficiaryForm) => type || words.crypto;
const unique = (texts: readonly string[]) =>
  [...new Set(texts)].map((each) => [each, each] as const);

/** Creates a beneficiary with the form that form discovery returns for the choices. */
export function NewBeneficiary() {
  const found = useSuspenseQuery({
    queryKey: ["/api/v1/transfer/beneficiary-forms"],
    queryFn: () => get<BeneficiaryForms>("/api/v1/transfer/beneficiary-forms"),
    staleTime: 300_000,
  });
  const [choice, setChoice] = useDraft<Choice>("beneficiary", firstChoice);
  const ofKind = found.data.forms.filter((form) => form.beneficiary_account_type === choice.kind);
  const ofCurrency = ofKind.filter((form) => form.destination_currency === choice.currency);
  const [only] = ofCurrency.length === 1 ? ofCurrency : [];
  const form = only ?? ofCurrency.find((each) => methodOf(each) === choice.method);
  return (
    <Page title={words.title}>
      <div className="card">
        <div className="fields">
          <SelectField
            label={words.kind}
            value={choice.kind}
            onChange={(kind) => setChoice({ ...choice, kind })}
            options={Object.entries(t.beneficiaries.accountTypes)}
            name="kind"
          />
          <SelectField
            label={words.currency}
            value={choice.currency}
            onChange={(currency) => setChoice({ ...choice, currency, method: "" })}
            options={unique(ofKind.map((each) => each.destination_currency))}
            none=""
            name="currency"
          />
          {ofCurrency.length > 1 ? (
            <SelectField
              label={words.transferType}
              value={choice.method}
              onChange={(method) => setChoice({ ...choice, method })}
              options={unique(ofCurrency.map(methodOf))}
              none=""
              name="method"
            />
          ) : null}
        </div>
      </div>
      {form === undefined ? (
        <Notice tone="info">{words.chooseFirst}</Notice>
      ) : (
        <Details
          key={`${form.name}:${form.destination_currency}:${form.transfer_type}`}
          form={form}
        />
      )}
    </Page>
  );
}

function Details({ form }: { form: BeneficiaryForm }) {
  const { for: purpose } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const fields = useMemo(() => discoveredFields(form), [form]);
  const body = useBodyForm<CreatedBeneficiary>(fields, {
    path: form.path,
    kind: `${form.name}:${form.destination_currency}:${form.transfer_type}`,
    onDone: async ({ beneficiary_id: id = "" }) => {
      await client.invalidateQueries({ queryKey: [beneficiaries.path] });
      if (purpose === "payout") {
        await navigate({ to: "/payouts/new", search: { beneficiary: id } });
      } else {
        await navigate({ to: "/beneficiaries/$beneficiaryId", params: { beneficiaryId: id } });
      }
    },
  });
  return (
    <Section title={words.details}>
      <p className="soft">{form.description}</p>
      <BodyForm groups={humanGroups(form, fields)} form={body} words={words} />
      {form.rules.length === 0 ? null : (
        <ul className="soft small">
          {form.rules.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ul>
      )}
    </Section>
  );
}
