import type { WebhookEndpointWithSecrets } from "@disburse/sdk/gen/types.ts";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { endpoints } from "../../api/lists.ts";
import { t } from "../../catalogue/texts.ts";
import { Page } from "../../ui/page.tsx";
import { BodyForm } from "../forms/body-form.tsx";
import type { FormField } from "../forms/rules/form-field.ts";
import { useBodyForm } from "../forms/use-body-form.ts";
import { Secrets } from "./secrets.tsx";

const words = t.webhooks.create;

const plain = { type: "text", isRequired: false, hint: "", initial: "" } as const;
const fields: readonly FormField[] = [
  {
    ...plain,
    path: "url",
    label: t.webhooks.endpoints.url,
    isRequired: true,
    hint: words.urlHint,
    maxLength: 2048,
  },
  { ...plain, path: "description", label: t.webhooks.endpoints.description, maxLength: 255 },
  {
    ...plain,
    path: "order",
    label: words.order,
    isRequired: true,
    initial: "bounded",
    choices: Object.keys(t.webhooks.one.orders),
    labels: t.webhooks.one.orders,
  },
  {
    ...plain,
    path: "event_types",
    label: words.types,
    hint: words.typesHint,
    type: "words",
    initial: "*",
  },
];

export function NewEndpoint() {
  const navigate = useNavigate();
  const [created, setCreated] = useState<WebhookEndpointWithSecrets>();
  const form = useBodyForm<WebhookEndpointWithSecrets>(fields, {
    path: endpoints.path,
    kind: "",
    onDone: async (answer) => setCreated(answer),
  });
  return (
    <Page>
      <BodyForm groups={[{ title: "", fields }]} form={form} words={words} />
      {created && (
        <Secrets
          endpoint={created}
          onDone={() =>
            void navigate({ to: "/webhooks/$endpointId", params: { endpointId: created.id } })
          }
        />
      )}
    </Page>
  );
}
