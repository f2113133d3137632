import type { CreatedDepositor } from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { depositor } from "../../api/lists.ts";
import { onceOnly } from "../../api/pages.ts";
import { t } from "../../catalogue/texts.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Page } from "../../ui/page.tsx";
import { BodyForm, type FieldGroup } from "../forms/body-form.tsx";
import { labelOf } from "../forms/field-label.ts";
import {
  type BodySchema,
  type Components,
  type FormField,
  schemaFields,
} from "../forms/rules/form-field.ts";
import { useBodyForm } from "../forms/use-body-form.ts";

const words = t.depositors.create;

const ownersPath = "company_owner_details";
/** The maximum that the public API accepts. */
const ownersMax = 20;

/** The parts of the OpenAPI document that describe request bodies. */
type Reference = { readonly components: { readonly schemas: Components } };

/** Creates a depositor with the fields that the OpenAPI document lists for its type. */
export function NewDepositor() {
  const [kind, setKind] = useState("DepositorIndividualRequest");
  const { data } = useSuspenseQuery({
    queryKey: ["/openapi.json"],
    queryFn: async () => (await (await fetch("/openapi.json")).json()) as Reference,
    ...onceOnly,
  });
  const { schemas } = data.components;
  return (
    <Page>
      <div className="card">
        <SelectField
          label={words.kind}
          value={kind}
          onChange={setKind}
          options={Object.entries(words.kinds)}
          name="kind"
        />
      </div>
      <Details key={kind} kind={kind} schema={schemas[kind] ?? {}} components={schemas} />
    </Page>
  );
}

function Details(props: { kind: string; schema: BodySchema; components: Components }) {
  const { kind, schema, components } = props;
  const navigate = useNavigate();
  const [owners, setOwners] = useState(1);
  const fields = useMemo(
    () => schemaFields(schema, components, { [ownersPath]: owners }),
    [schema, components, owners],
  );
  const body = useBodyForm<CreatedDepositor>(fields, {
    path: depositor,
    kind,
    onDone: ({ id }) => navigate({ to: "/depositors/$depositorId", params: { depositorId: id } }),
  });
  return (
    <BodyForm groups={groupsOf(fields)} form={body} words={words}>
      {schema.properties?.[ownersPath] === undefined ? null : (
        <div className="row">
          <Button disabled={owners >= ownersMax} onClick={() => setOwners(owners + 1)}>
            {t.forms.addOwner}
          </Button>
          {owners > 1 ? (
            <Button onClick={() => setOwners(owners - 1)}>{t.forms.removeOwner}</Button>
          ) : null}
        </div>
      )}
    </BodyForm>
  );
}

/** Groups the fields of one object or owner. */
function groupsOf(fields: readonly FormField[]): FieldGroup[] {
  const titleOf = ({ path }: FormField): string => {
    const owner = /^company_owner_details\[(\d+)\]/.exec(path)?.[1];
    if (owner !== undefined) return t.forms.owner({ number: Number(owner) + 1 });
    return path.includes(".") ? labelOf(path.split(".").slice(0, -1).join(".")) : "";
  };
  return [...Map.groupBy(fields, titleOf)].map(([title, own]) => ({ title, fields: own }));
}
