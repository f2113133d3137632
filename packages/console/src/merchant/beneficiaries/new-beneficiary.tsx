import type { BeneficiaryForm, CreatedBeneficiary } from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { t } from "../../catalogue/texts.ts";
import { useDraft } from "../../session/draft.ts";
import { Fields } from "../../ui/fields.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { BodyForm } from "../forms/body-form.tsx";
import { humanGroups } from "../forms/groups.ts";
import { discoveredFields } from "../forms/rules/form-field.ts";
import { useBodyForm } from "../forms/use-body-form.ts";
import { formsQuery } from "./ask-beneficiary.tsx";

const words = t.beneficiaries.create;
const route = getRouteApi("/shell/beneficiaries/new");

/** The choices that select a form. */
type Choice = { readonly kind: string; readonly currency: string; readonly method: string };

const firstChoice: Choice = { kind: "Individual", currency: "", method: "" };

const kindOf = ({ name, destination_currency: currency, transfer_type: type }: BeneficiaryForm) =>
  [name, currency, type].join(":");
const methodOf = ({ transfer_type: type }: BeneficiaryForm) => type || words.crypto;
const unique = (texts: readonly string[]) =>
  [...new Set(texts)].map((each) => [each, each] as const);

/** Creates a beneficiary with the form that form discovery returns for the choices. */
export function NewBeneficiary() {
  const { forms } = useSuspenseQuery(formsQuery).data;
  const [choice, setChoice] = useDraft<Choice>("beneficiary", firstChoice);
  const ofKind = forms.filter((form) => form.beneficiary_account_type === choice.kind);
  const ofCurrency = ofKind.filter((form) => form.destination_currency === choice.currency);
  const [only] = ofCurrency.length === 1 ? ofCurrency : [];
  const form = only ?? ofCurrency.find((each) => methodOf(each) === choice.method);
  const currencies = unique(ofKind.map((each) => each.destination_currency));
  return (
    <Page>
      <div className="card">
        <div className="fields">
          <Fields
            fields={[
              {
                name: "kind",
                label: words.kind,
                options: Object.entries(t.beneficiaries.accountTypes),
              },
              {
                name: "currency",
                label: t.beneficiaries.currency,
                options: currencies,
                none: "",
              },
              ...(ofCurrency.length < 2
                ? []
                : [
                    {
                      ...({ name: "method", label: words.transferType } as const),
                      options: unique(ofCurrency.map(methodOf)),
                      none: "",
                    },
                  ]),
            ]}
            field={(name) => ({
              value: choice[name],
              onChange: (text) => {
                const method = name === "currency" ? "" : choice.method;
                setChoice({ ...choice, method, [name]: text });
              },
            })}
          />
        </div>
      </div>
      {form === undefined ? (
        <Notice tone="info">{words.chooseFirst}</Notice>
      ) : (
        <Details key={kindOf(form)} form={form} />
      )}
    </Page>
  );
}

function Details({ form }: { form: BeneficiaryForm }) {
  const { for: purpose } = route.useSearch();
  const navigate = route.useNavigate();
  const fields = useMemo(() => discoveredFields(form), [form]);
  const body = useBodyForm<CreatedBeneficiary>(fields, {
    path: form.path,
    kind: kindOf(form),
    onDone: ({ beneficiary_id: id = "" }) =>
      purpose === "payout"
        ? navigate({ to: "/payouts/new", search: { beneficiary: id } })
        : navigate({ to: "/beneficiaries/$beneficiaryId", params: { beneficiaryId: id } }),
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
