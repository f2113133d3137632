import type { WebhookEndpointWithSecrets } from "@disburse/sdk/gen/types.ts";
import { useForm, useStore } from "@tanstack/react-form";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { endpoints } from "../../api/lists.ts";
import { Problem } from "../../api/problem.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { useDraft } from "../../session/draft.ts";
import { Button } from "../../ui/button.tsx";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { useAttempt } from "../../ui/use-attempt.ts";
import { Secrets } from "./secrets.tsx";

const words = t.webhooks.create;
const route = getRouteApi("/shell/webhooks/new");

const blank = { url: "", description: "", order: "bounded", types: "*" };

function useEndpointForm() {
  const client = useQueryClient();
  const [draft, keep, forget] = useDraft("endpoint", blank);
  const [defaultValues] = useState(draft);
  const creating = useAttempt({
    send: (body: object, idempotencyKey) =>
      send<WebhookEndpointWithSecrets>("POST", endpoints.path, { body, idempotencyKey }),
    onSuccess: async () => {
      forget();
      // The secrets are shown only once, so they don't wait until lists are read again.
      void client.invalidateQueries({ queryKey: [endpoints.path] });
    },
  });
  const form = useForm({
    defaultValues,
    listeners: {
      onChange: ({ formApi }) => {
        creating.reset();
        keep(formApi.state.values);
      },
    },
    onSubmit: ({ value }) => creating.mutate(bodyOf(value)),
  });
  return { form, creating };
}

export function NewEndpoint() {
  const navigate = route.useNavigate();
  const { form, creating } = useEndpointForm();
  const url = useStore(form.store, ({ values }) => values.url);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void form.handleSubmit();
  };
  return (
    <Page title={words.title}>
      <form className="form card" onSubmit={submit}>
        <EndpointFields form={form} error={creating.error} />
        {creating.isError ? (
          <ProblemNotice error={creating.error} noAnswer={words.notKnown} />
        ) : null}
        <div>
          <Button type="submit" kind="primary" disabled={creating.isPending || url === ""}>
            {creating.isPending ? words.saving : words.save}
          </Button>
        </div>
      </form>
      {creating.data === undefined ? null : (
        <Secrets
          endpoint={creating.data}
          onDone={() =>
            void navigate({
              to: "/webhooks/$endpointId",
              params: { endpointId: creating.data.id },
            })
          }
        />
      )}
    </Page>
  );
}

function EndpointFields(props: {
  form: ReturnType<typeof useEndpointForm>["form"];
  error: Error | null;
}) {
  const { form, error } = props;
  const errorOf = (field: string) =>
    error instanceof Problem
      ? error.violations.find((each) => each.field.startsWith(field))?.message
      : undefined;
  return (
    <>
      <form.Field name="url">
        {(field) => (
          <TextField
            {...bound(field)}
            label={words.url}
            hint={words.urlHint}
            error={errorOf("url")}
            maxLength={2048}
            name="url"
            required
          />
        )}
      </form.Field>
      <form.Field name="description">
        {(field) => <TextField {...bound(field)} label={words.description} maxLength={255} />}
      </form.Field>
      <form.Field name="order">
        {(field) => (
          <SelectField
            {...bound(field)}
            label={words.order}
            options={Object.entries(t.webhooks.one.orders)}
          />
        )}
      </form.Field>
      <form.Field name="types">
        {(field) => (
          <AreaField
            {...bound(field)}
            label={words.types}
            hint={words.typesHint}
            error={errorOf("event_types")}
          />
        )}
      </form.Field>
    </>
  );
}

type Bound = { state: { value: string }; handleChange: (value: string) => void };

const bound = ({ state, handleChange }: Bound) => ({ value: state.value, onChange: handleChange });

function bodyOf({ url, description, order, types }: typeof blank) {
  const eventTypes = types.split(/\s+/).filter((type) => type !== "");
  return {
    url,
    order,
    ...(description === "" ? {} : { description }),
    ...(eventTypes.length === 0 ? {} : { event_types: eventTypes }),
  };
}
